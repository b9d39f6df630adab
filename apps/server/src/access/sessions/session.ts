import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { tokenLifeMs } from './session-tokens.ts'

/** decisions: Access, Login */
const idleMs = 30 * 60_000
const absoluteMs = 12 * 60 * 60_000
const freshMs = 5 * 60_000

/** Clocks of two processes may differ by this much; a session from further ahead means that one is wrong. */
const skewMs = 60_000
/** Requests already on their way with the token that was just replaced are still answered. */
const graceMs = 60_000
const renewAfterMs = 5 * 60_000
const seenStepMs = 60_000

/** A login: what its token stands for. */
export type Session = {
  readonly id: string
  readonly wallet: Wallet
  /** Absent for an operator's. */
  readonly merchant: Wallet | undefined
  readonly createdAt: UnixMs
  /** Accurate to the minute. */
  readonly lastSeenAt: UnixMs
  /** When its newest token was made. */
  readonly tokenAt: UnixMs
  readonly revokedAt: UnixMs | undefined
  readonly address: string
  readonly userAgent: string | undefined
}

/** When a session ends whatever is done. */
export function endOf(session: Pick<Session, 'createdAt'>): UnixMs {
  return (session.createdAt + absoluteMs) as UnixMs
}

/**
 * Whether a session still stands, by its row and the time its token was made.
 *
 * A token older than fifteen minutes is good only while no newer one was made: a stolen one is worth
 * nothing once its session went on. Where times lie in the future a clock is wrong, and the session does
 * not stand until it is right again.
 */
export function isSessionAlive(session: Session, issuedAt: UnixMs, now: UnixMs): boolean {
  if (session.revokedAt !== undefined) return false
  if (Math.max(session.createdAt, session.lastSeenAt, session.tokenAt, issuedAt) > now + skewMs) return false
  if (now >= endOf(session) || now - session.lastSeenAt >= idleMs) return false
  return now - issuedAt < tokenLifeMs || issuedAt >= session.tokenAt || now - session.tokenAt < graceMs
}

/** Whether its login is young enough for a sensitive write. */
export function isFreshLogin(loggedInAt: UnixMs, now: UnixMs): boolean {
  return now - loggedInAt < freshMs
}

/** Whether the use of a session has to be written down, and whether its token is to be replaced. */
export function judgeUse(
  session: Session,
  issuedAt: UnixMs,
  now: UnixMs,
): { isSeen: boolean; isRenewed: boolean } {
  const isRenewed = now - issuedAt >= renewAfterMs
  return { isRenewed, isSeen: isRenewed || now - session.lastSeenAt >= seenStepMs }
}
