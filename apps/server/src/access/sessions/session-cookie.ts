import { sessionCookieName } from '@sluice/protocol/api/auth.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'

/** The Set-Cookie that carries a session's token: out of reach of scripts and of other sites. */
export function sessionCookie(
  token: string,
  options: { until: UnixMs; now: UnixMs; isSecure: boolean },
): string {
  const maxAge = Math.max(0, Math.floor((options.until - options.now) / 1000))
  return `${sessionCookieName}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${options.isSecure ? '; Secure' : ''}`
}

/** The Set-Cookie that makes a browser forget its session. */
export function endedCookie(options: { isSecure: boolean }): string {
  return sessionCookie('', { until: 0 as UnixMs, now: 0 as UnixMs, isSecure: options.isSecure })
}
