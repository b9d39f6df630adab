import type { Role } from '@sluice/protocol/api/access.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { SessionCaller } from '../caller.ts'
import { BadCredential, type Credentials } from '../credentials.ts'
import { type Gate, sessionCookie } from './gate.ts'
import { endOf, evaluateUse, isSessionAlive } from './session.ts'
import { findSession, touchSession } from './session-store.ts'

export type IdentifiedSession = {
  readonly caller: SessionCaller
  readonly token: string | undefined
  readonly cookie: string | undefined
}

/**
 * Returns the session of the request, or `undefined` without a session cookie.
 *
 * Resets the idle time and renews the token. Reads the session and the member's role from the database for
 * each request, so a revocation takes effect at once.
 *
 * @throws {ApiError} `unauthorized` if the session has ended; {@link BadCredential} if the token is forged.
 */
export async function identifySession(
  needs: { db: Database; clock: Clock; gate: Gate },
  credentials: Credentials,
): Promise<IdentifiedSession | undefined> {
  if (credentials.token === undefined) return undefined
  const { tokens, operators } = needs.gate
  const claims = await tokens.read(credentials.token)
  if (!claims) throw new BadCredential(jwtFailed('the token was not issued by this service'))
  const now = needs.clock.now()
  const session = await findSession(needs.db, claims.sessionId, claims.merchant)
  if (session?.wallet !== claims.wallet || !isSessionAlive(session, claims.issuedAt, now))
    throw sessionEnded()
  const role: Role | undefined = session.merchant
    ? session.memberRole
    : operators.has(session.wallet)
      ? 'operator'
      : undefined
  if (!role) throw sessionEnded()
  const { isSeen, isRenewed } = evaluateUse(session, claims.issuedAt, now)
  if (isSeen) await touchSession(needs.db, session.id, { at: now, isRenewed })
  const { id: sessionId, wallet, merchant, createdAt } = session
  const token = isRenewed ? await tokens.make({ ...claims, issuedAt: now }) : undefined
  const cookie = token && sessionCookie(needs.gate, token, { until: endOf(session), now })
  return {
    caller: { kind: 'session', sessionId, wallet, merchant, role, loggedInAt: createdAt },
    token,
    cookie,
  }
}

export function sessionEnded(): ApiError {
  return new ApiError('unauthorized', jwtFailed('the session is missing or has expired; log in again'))
}

function jwtFailed(why: string): string {
  return `JWT authentication failed: ${why}`
}
