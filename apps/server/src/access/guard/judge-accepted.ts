import type { UnixMs } from '@sluice/protocol/time.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Access } from '../access.ts'
import type { SessionCaller } from '../caller.ts'
import { sessionEnded } from '../sessions/identify-session.ts'
import { findSession } from '../sessions/session-store.ts'

/**
 * Judges once more, when the datastore is back, who sent what was accepted without it: his session must not have ended
 * before that, which another process may have known, and he must still be a member whom the route lets in. That the
 * session has ended since is no reason to undo what it was told.
 *
 * @throws {Refusal} `unauthorized` or `forbidden`.
 */
export async function judgeAccepted(
  db: Database,
  access: Access,
  caller: SessionCaller,
  acceptedAt: UnixMs,
): Promise<void> {
  const session = await findSession(db, caller.sessionId, caller.merchant)
  if (!session || (session.revokedAt !== undefined && session.revokedAt <= acceptedAt)) throw sessionEnded()
  const { memberRole } = session
  if (caller.merchant === undefined || access.kind !== 'session') return
  if (!memberRole || !access.roles.includes(memberRole))
    throw new Refusal('forbidden', 'The member who sent this is not allowed to do it any more')
}
