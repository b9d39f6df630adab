import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { KnownCaller, SessionCaller, SubscriptionCaller } from '../caller.ts'
import { isSessionAlive } from '../sessions/session.ts'
import { findSessions } from '../sessions/session-store.ts'

type Needs = { readonly db: Database; readonly clock: Clock }

/**
 * Returns the callers whose key is revoked, whose session has ended or whose role has changed.
 *
 * Uses a constant number of statements and does not count as a use of the key or session.
 */
export async function findEnded(
  needs: Needs,
  callers: Iterable<KnownCaller>,
): Promise<ReadonlySet<KnownCaller>> {
  const all = [...callers]
  const ended = await Promise.all([
    findEndedKeys(
      needs,
      all.filter((each) => each.kind === 'subscription'),
    ),
    findEndedSessions(
      needs,
      all.filter((each) => each.kind === 'session'),
    ),
  ])
  return new Set<KnownCaller>(ended.flat())
}

/**
 * Returns the callers whose key has ended. A key that the external gateway forwards is checked only by its
 * subscription.
 */
async function findEndedKeys({ db }: Needs, callers: readonly SubscriptionCaller[]) {
  if (callers.length === 0) return []
  const ids = callers.map(({ subscriptionId }) => subscriptionId)
  const keyIds = callers.map(({ keyId }) => keyId)
  const rows = await db.rows(listActive({ merchants: merchantsOf(callers), ids, keyIds }))
  const active = new Set(rows.map(({ id }) => id))
  const revoked = new Set(rows.map(({ revokedKeyId }) => revokedKeyId))
  return callers.filter(({ subscriptionId, keyId }) => !active.has(subscriptionId) || revoked.has(keyId))
}

async function findEndedSessions({ db, clock }: Needs, callers: readonly SessionCaller[]) {
  if (callers.length === 0) return []
  const sessions = await findSessions(
    db,
    callers.map(({ sessionId }) => sessionId),
  )
  const alive = new Set(
    sessions.filter((each) => isSessionAlive(each, each.tokenAt, clock.now())).map(({ id }) => id),
  )
  const ended = callers.filter(({ sessionId }) => !alive.has(sessionId))
  const members = callers.filter(({ merchant }) => merchant !== undefined)
  if (members.length === 0) return ended
  const wallets = members.map(({ wallet }) => wallet)
  const rows = await db.rows(listRoles({ merchants: merchantsOf(members), wallets }))
  const roles = new Map(rows.map(({ merchant, wallet, role }) => [`${merchant} ${wallet}`, role]))
  const changed = members.filter(({ merchant, wallet, role }) => roles.get(`${merchant} ${wallet}`) !== role)
  return [...ended, ...changed]
}

function merchantsOf(callers: readonly { readonly merchant: Wallet | undefined }[]): Wallet[] {
  return [...new Set(callers.map(({ merchant }) => merchant).filter((each) => each !== undefined))]
}

const listActive = statement({
  name: 'list-active-subscriptions',
  text: `SELECT s.id, k.id AS revoked_key_id FROM subscription AS s
    LEFT JOIN api_key AS k ON k.merchant = s.merchant AND k.subscription_id = s.id AND k.id = ANY(:keyIds::text[])
      AND k.revoked_at IS NOT NULL
    WHERE s.merchant = ANY(:merchants::text[]) AND s.id = ANY(:ids::text[]) AND s.revoked_at IS NULL`,
  reads: { id: text(), revokedKeyId: optional(text()) },
})

const listRoles = statement({
  name: 'list-roles-of-members',
  text: `SELECT merchant, wallet, role FROM member
    WHERE merchant = ANY(:merchants::text[]) AND wallet = ANY(:wallets::text[])`,
  reads: { merchant: text<Wallet>(), wallet: text<Wallet>(), role: text<MemberRole>() },
})
