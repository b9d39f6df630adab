import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { generateId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import { findMember } from '../../merchants/member-store.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { appendAudit } from '../audit/append-audit.ts'
import type { SessionCaller } from '../caller.ts'
import type { Standing } from './choose-merchant.ts'
import type { Gate } from './gate.ts'
import { sessionEnded } from './identify-session.ts'
import type { Session } from './session.ts'
import { insertSession, revokeSessions } from './session-store.ts'

export type SwitchNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
  readonly gate: Gate
}

export type SwitchOrigin = {
  readonly address: string
  readonly userAgent: string | undefined
  readonly correlationId: string
}

/**
 * Replaces the caller's session with one for another merchant.
 *
 * The former session ends, so that requests from its pages fail and never apply to the new merchant. The new
 * session keeps the login time: a switch does not extend the session or refresh the login.
 *
 * @param wanted - The merchant, or `undefined` for the platform.
 * @throws {ApiError} `forbidden` if the wallet is not a member or operator; `unauthorized` if the session has
 * ended.
 */
export async function switchMerchant(
  needs: SwitchNeeds,
  caller: SessionCaller,
  wanted: Wallet | undefined,
  origin: SwitchOrigin,
): Promise<{ session: Session; standing: Standing; token: string }> {
  const { db, clock, random, gate } = needs
  const { wallet } = caller
  const now = clock.now()
  return db.transaction(async (tx) => {
    const standing = await findStanding(tx, gate, wallet, wanted)
    const session: Session = {
      id: generateId(now, random),
      wallet,
      merchant: standing.merchant,
      createdAt: caller.loggedInAt,
      lastSeenAt: now,
      tokenAt: now,
      revokedAt: undefined,
      address: origin.address.slice(0, 64),
      userAgent: origin.userAgent?.slice(0, 300),
    }
    if ((await revokeSessions(tx, [caller.sessionId], now)) === 0) throw sessionEnded()
    await insertSession(tx, session)
    await recordSwitch({ ...needs, tx }, caller, { session, standing }, origin)
    const token = await gate.tokens.make({ ...session, sessionId: session.id, issuedAt: now })
    return { session, standing, token }
  })
}

async function findStanding(
  tx: Database,
  gate: Gate,
  wallet: Wallet,
  wanted: Wallet | undefined,
): Promise<Standing> {
  if (wanted === undefined) {
    if (gate.operators.has(wallet)) return { merchant: undefined, role: 'operator' }
    throw new ApiError('forbidden', 'This wallet is not an operator of the service')
  }
  const member = await findMember(tx, wanted, wallet)
  if (member) return { merchant: wanted, role: member.role }
  throw new ApiError(
    'forbidden',
    'This wallet is not a member of the merchant; ask an owner for an invitation link (/app/team)',
  )
}

async function recordSwitch(
  needs: { tx: Database; clock: Clock; secrets: Secrets },
  caller: SessionCaller,
  { session, standing }: { session: Session; standing: Standing },
  { correlationId }: SwitchOrigin,
): Promise<void> {
  const act = { at: session.tokenAt as UnixMs, actor: caller.wallet, correlationId }
  await appendAudit(needs, {
    ...act,
    merchant: caller.merchant ?? 'platform',
    action: 'session.ended',
    subject: caller.sessionId,
    details: { wallet: caller.wallet },
  })
  await appendAudit(needs, {
    ...act,
    merchant: standing.merchant ?? 'platform',
    action: 'session.began',
    subject: session.id,
    details: { role: standing.role, address: session.address },
  })
}
