import { hostCookieName, sessionCookieName } from '@sluice/protocol/api/auth.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Gate } from './gate.ts'

/** The Set-Cookie that carries a session's token: out of reach of scripts and of other sites. */
export function sessionCookie(
  { isProduction, isSecure }: Pick<Gate, 'isProduction' | 'isSecure'>,
  token: string,
  { until, now }: { until: UnixMs; now: UnixMs },
): string {
  const name = isProduction ? hostCookieName : sessionCookieName
  const maxAge = Math.max(0, Math.floor((until - now) / 1000))
  return `${name}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

/** The Set-Cookie that makes a browser forget its session. */
export function endedCookie(gate: Pick<Gate, 'isProduction' | 'isSecure'>): string {
  return sessionCookie(gate, '', { until: 0 as UnixMs, now: 0 as UnixMs })
}
