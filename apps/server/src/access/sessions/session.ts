import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { tokenLifeMs } from './session-tokens.ts'

const idleMs = 30 * 60_000
const absoluteMs = 12 * 60 * 60_000
const freshMs = 5 * 60_000

/** Maximum clock difference between processes. A session whose times are further ahead is rejected. */
const skewMs = 60_000
/** Milliseconds for which a replaced token still works, for requests that are already on their way. */
const graceMs = 60_000
const renewAfterMs = 5 * 60_000
const seenStepMs = 60_000

export type Session = {
  readonly id: string
  readonly wallet: Wallet
  readonly merchant: Wallet | undefined
  readonly createdAt: UnixMs
  /** Accurate to a minute. */
  readonly lastSeenAt: UnixMs
  readonly tokenAt: UnixMs
  readonly revokedAt: UnixMs | undefined
  readonly address: string
  readonly userAgent: string | undefined
}

export function endOf(session: Pick<Session, 'createdAt'>): UnixMs {
  return (session.createdAt + absoluteMs) as UnixMs
}

/**
 * Returns whether a session is valid for a token issued at `issuedAt`.
 *
 * A token older than 15 minutes is valid only if no newer token exists, so a stolen token expires once the
 * session is used. A time in the future means that a clock is wrong. The session is then invalid until the
 * clock is correct.
 */
export function isSessionAlive(session: Session, issuedAt: UnixMs, now: UnixMs): boolean {
  if (session.revokedAt !== undefined) return false
  if (Math.max(session.createdAt, session.lastSeenAt, session.tokenAt, issuedAt) > now + skewMs) return false
  if (now >= endOf(session) || now - session.lastSeenAt >= idleMs) return false
  return now - issuedAt < tokenLifeMs || issuedAt >= session.tokenAt || now - session.tokenAt < graceMs
}

export function isFreshLogin(loggedInAt: UnixMs, now: UnixMs): boolean {
  return now - loggedInAt < freshMs
}

export function evaluateUse(
  session: Session,
  issuedAt: UnixMs,
  now: UnixMs,
): { isSeen: boolean; isRenewed: boolean } {
  const isRenewed = now - issuedAt >= renewAfterMs
  return { isRenewed, isSeen: isRenewed || now - session.lastSeenAt >= seenStepMs }
}
