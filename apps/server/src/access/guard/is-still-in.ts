import type { Clock } from '../../kernel/clock.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { KnownCaller } from '../caller.ts'
import { isSessionAlive } from '../sessions/session.ts'
import { findSession } from '../sessions/session-store.ts'

/**
 * Whether who was let in a while ago would be let in now: his key is not revoked, his session has not ended, and he has
 * the role that he had. Does not count as a use of either.
 */
export async function isStillIn(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  caller: KnownCaller,
): Promise<boolean> {
  if (caller.kind === 'subscription') return (await db.row(findActive({ ...caller }))) !== undefined
  const session = await findSession(db, caller.sessionId, caller.merchant)
  if (!session || !isSessionAlive(session, session.tokenAt, clock.now())) return false
  return caller.merchant === undefined || session.memberRole === caller.role
}

/** A key that an outside gateway forwarded is known by its subscription alone. */
const findActive = statement({
  name: 'find-active-key',
  text: `SELECT s.id FROM subscription AS s WHERE s.merchant = :merchant AND s.id = :subscriptionId
      AND s.revoked_at IS NULL AND NOT EXISTS (SELECT FROM api_key AS k
        WHERE k.merchant = :merchant AND k.id = :keyId AND k.revoked_at IS NOT NULL)`,
  reads: { id: text() },
})
