import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { SessionChange, SessionChangeKind, SessionError } from '../../onramp/provider.ts'

/** `opening`: the session is stored, and the provider's response is not known yet. */
export type SessionState = 'opening' | SessionChangeKind

export type OnrampSession = {
  readonly merchant: Wallet
  /** Our reference for the session, and the idempotency key of the call that opens it. */
  readonly reference: string
  readonly receiptId: ReceiptId
  readonly attemptId: string
  readonly provider: string
  readonly sessionId: string | undefined
  readonly hostedUrl: string | undefined
  /** Sent with the opening call: an idempotency key must always be sent with the same values. */
  readonly clientAddress: string | undefined
  readonly state: SessionState
  readonly changedAt: UnixMs
  readonly error: SessionError | undefined
  readonly source: SessionSource | undefined
  readonly transactionHash: string | undefined
  readonly openedAt: UnixMs
}

export type SessionSource = { readonly cents: Cents; readonly rank: number; readonly at: UnixMs }

/**
 * Precedence of the states, regardless of the order in which they occurred. Money that was taken outranks
 * every failure. A returned bank payment is final unless it settles.
 */
const rankOf: Readonly<Record<SessionState, number>> = {
  opening: 0,
  opened: 1,
  failed: 2,
  ach_pending: 3,
  returned: 4,
  accepted: 5,
  settled: 6,
}

/**
 * Merges a change into a session. Commutative and idempotent: the higher state wins; of two failures, the
 * later one wins.
 */
export function mergeChange(session: OnrampSession, change: SessionChange): OnrampSession {
  const source = laterSource(session.source, sourceOf(change))
  const transactionHash = firstText(session.transactionHash, change.transactionHash)
  const merged = { ...session, source, transactionHash }
  if (!outranks(session, change)) return merged
  return { ...merged, state: change.kind, changedAt: change.at, error: errorOf(change) }
}

/**
 * Checks if the provider reports a failure after it took the money. This service cannot undo such a payment.
 */
export function isReversal(session: OnrampSession, { kind, at }: SessionChange): boolean {
  return isTaken(session) && (kind === 'returned' || kind === 'failed') && at > session.changedAt
}

const dayMs = 24 * 3_600_000

/** Maximum delay of a delivery after a state change. Bank transfers take days. */
const deliveredWithinMs: Partial<Record<SessionState, number>> = {
  ach_pending: 5 * dayMs,
  accepted: dayMs,
  settled: dayMs,
}

export function deliveryDueAt({
  state,
  changedAt,
}: Pick<OnrampSession, 'state' | 'changedAt'>): UnixMs | undefined {
  const withinMs = deliveredWithinMs[state]
  return withinMs === undefined ? undefined : addMs(changedAt, withinMs)
}

export function isTaken({ state }: Pick<OnrampSession, 'state'>): boolean {
  return state === 'accepted' || state === 'settled'
}

export function compareSessions(a: OnrampSession, b: OnrampSession): number {
  const byRank = rankOf[b.state] - rankOf[a.state]
  if (byRank !== 0) return byRank
  if (a.changedAt !== b.changedAt) return a.changedAt - b.changedAt
  return a.reference < b.reference ? -1 : 1
}

function outranks(session: OnrampSession, change: SessionChange): boolean {
  const [before, after] = [rankOf[session.state], rankOf[change.kind]]
  if (before !== after) return after > before
  if (session.changedAt !== change.at) return change.at > session.changedAt
  return textOf(errorOf(change)) > textOf(session.error)
}

function errorOf({ kind, error }: SessionChange): SessionError | undefined {
  return kind === 'failed' || kind === 'returned' ? error : undefined
}

function textOf(error: SessionError | undefined): string {
  return error ? `${error.errorCode} ${error.requestId}` : ''
}

function sourceOf({ sourceCents: cents, kind, at }: SessionChange): SessionSource | undefined {
  return cents === undefined ? undefined : { cents, rank: rankOf[kind], at }
}

function laterSource(one: SessionSource | undefined, other: SessionSource | undefined) {
  if (!one || !other) return one ?? other
  if (one.rank !== other.rank) return one.rank > other.rank ? one : other
  if (one.at !== other.at) return one.at > other.at ? one : other
  return one.cents >= other.cents ? one : other
}

function firstText(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one
}
