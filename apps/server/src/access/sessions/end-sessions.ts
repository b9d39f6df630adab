import type { UnixMs } from '@sluice/protocol/time.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { appendAudit } from '../audit/append-audit.ts'
import type { SessionCaller } from '../caller.ts'
import { endOf, isSessionAlive, type Session } from './session.ts'
import { listSessionsOfMerchant, listSessionsOfWallet, revokeSessions } from './session-store.ts'

const absoluteMs = endOf({ createdAt: 0 as UnixMs })

/** Lists the sessions that a caller may end, newest first: its own, or the whole team's for an owner. */
export async function listSessions(
  needs: { db: Database; clock: Clock },
  caller: SessionCaller,
): Promise<Session[]> {
  const now = needs.clock.now()
  const since = (now - absoluteMs) as UnixMs
  const own = await listSessionsOfWallet(needs.db, caller.wallet, since)
  const isOwner = caller.role === 'owner' && caller.merchant !== undefined
  const team =
    isOwner && caller.merchant ? await listSessionsOfMerchant(needs.db, caller.merchant, since) : []
  const all = new Map([...own, ...team].map((session) => [session.id, session]))
  return [...all.values()]
    .filter((session) => isSessionAlive(session, session.tokenAt, now))
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
}

/**
 * Ends sessions at once, on every replica. Returns their number.
 *
 * @param which - A visible session, or all own sessions except the current one.
 * @throws {ApiError} `not_found` for a session that the caller cannot see.
 */
export async function endSessions(
  needs: { db: Database; clock: Clock; secrets: Secrets },
  caller: SessionCaller,
  which: { id: string } | 'others',
  correlationId: string,
): Promise<number> {
  const seen = await listSessions(needs, caller)
  const chosen = seen.filter(({ id, wallet }) =>
    which === 'others' ? wallet === caller.wallet && id !== caller.sessionId : id === which.id,
  )
  if (which !== 'others' && chosen.length === 0) throw new ApiError('not_found', 'Session not found')
  const at = needs.clock.now()
  return needs.db.transaction(async (tx) => {
    const ended = await revokeSessions(
      tx,
      chosen.map(({ id }) => id),
      at,
    )
    for (const session of chosen) {
      await appendAudit(
        { ...needs, tx },
        {
          merchant: session.merchant ?? 'platform',
          at,
          actor: caller.wallet,
          action: 'session.ended',
          subject: session.id,
          details: { wallet: session.wallet },
          correlationId,
        },
      )
    }
    return ended
  })
}
