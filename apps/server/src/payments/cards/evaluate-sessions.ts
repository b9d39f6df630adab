import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { SessionChange } from '../../onramp/provider.ts'
import type { TriggerKind } from '../../receipts/status.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { worthInCents } from '../ledger/evaluate-payment.ts'
import type { Payment } from '../ledger/payment.ts'
import { compareSessions, isTaken, mergeChange, type OnrampSession } from './session.ts'

export type SessionsVerdict =
  | { readonly kind: 'paid' | 'ach_pending' | 'failed'; readonly by: OnrampSession }
  | { readonly kind: 'open' }

/**
 * Decides the combined verdict on a receipt's sessions, regardless of the order of their changes.
 *
 * If a provider took money, the verdict is `paid`. Otherwise a pending bank payment makes it `ach_pending`.
 * Otherwise a returned bank payment, or a failure of the current attempt, makes it `failed`. A failure of
 * another attempt is stale.
 */
export function evaluateSessions(
  sessions: readonly OnrampSession[],
  currentAttempt: string | undefined,
): SessionsVerdict {
  const [paying] = sessions.filter(isTaken).toSorted(compareSessions)
  if (paying) return { kind: 'paid', by: paying }
  const [pending] = sessions.filter(({ state }) => state === 'ach_pending').toSorted(compareSessions)
  if (pending) return { kind: 'ach_pending', by: pending }
  const failed = sessions.filter(
    ({ state, attemptId }) => state === 'returned' || (state === 'failed' && attemptId === currentAttempt),
  )
  const last = failed.toSorted((a, b) => b.changedAt - a.changedAt || compareSessions(a, b))[0]
  return last ? { kind: 'failed', by: last } : { kind: 'open' }
}

/**
 * Checks if the sessions and the other credited payments cover the current total. If not, only on-chain
 * payments count.
 *
 * @param total - The current total: an edit may have raised it after a session was opened.
 */
export function coversTotal(
  total: Cents,
  sessions: readonly OnrampSession[],
  {
    verdict,
    attempts,
    paid,
  }: { verdict: SessionsVerdict; attempts: readonly Attempt[]; paid: readonly Payment[] },
): boolean {
  const counts = (session: OnrampSession) =>
    isTaken(session) || (verdict.kind === 'ach_pending' && session.state === 'ach_pending')
  const ordering = new Set(sessions.filter(counts).map(({ attemptId }) => attemptId))
  const ordered = attempts
    .filter(({ id }) => ordering.has(id))
    .reduce((sum, { dueCents }) => sum + dueCents, 0n)
  const others = paid.filter(({ state, attemptId }) => state === 'credited' && !ordering.has(attemptId))
  return ordered + worthInCents(others) >= total
}

export function shownSession(
  sessions: readonly OnrampSession[],
  verdict: SessionsVerdict,
): OnrampSession | undefined {
  if (verdict.kind !== 'open') return verdict.by
  return sessions
    .filter(({ sessionId }) => sessionId !== undefined)
    .toSorted((a, b) => b.openedAt - a.openedAt || (a.reference < b.reference ? 1 : -1))[0]
}

/**
 * Returns the triggers of a verdict. If a bank payment was returned but its acceptance was never reported,
 * returns the triggers of both steps.
 */
export function triggersOf(verdict: SessionsVerdict, status: ReceiptStatus): readonly TriggerKind[] {
  if (verdict.kind === 'paid') return ['payment_verified']
  if (verdict.kind === 'ach_pending') return ['ach_accepted']
  if (verdict.kind === 'open') return []
  if (status === 'paid - ach pending') return ['ach_returned']
  const isUnheard = verdict.by.state === 'returned' && status !== 'failed'
  return isUnheard ? ['ach_accepted', 'ach_returned'] : ['failure_verified']
}

export type MergedReport = {
  readonly sessions: readonly OnrampSession[]
  readonly changed: OnrampSession
  readonly verdict: SessionsVerdict
  /**
   * `time`: a known change with a later time. The change is saved, because the later of two failures counts,
   * but is not reported.
   */
  readonly weight: 'nothing' | 'time' | 'news'
}

export function mergeReport(
  sessions: readonly OnrampSession[],
  before: OnrampSession,
  { sessionId, change }: { readonly sessionId: string | undefined; readonly change: SessionChange },
  currentAttempt: string | undefined,
): MergedReport {
  const changed = { ...mergeChange(before, change), sessionId }
  const after = sessions.map((each) => (each === before ? changed : each))
  const verdict = evaluateSessions(after, currentAttempt)
  const merged = { sessions: after, changed, verdict }
  if (!saysSame(before, changed)) return { ...merged, weight: 'news' }
  if (isOfSameTime(before, changed)) return { ...merged, weight: 'nothing' }
  const isSameVerdict = textOf(evaluateSessions(sessions, currentAttempt)) === textOf(verdict)
  return { ...merged, weight: isSameVerdict ? 'time' : 'news' }
}

function saysSame(before: OnrampSession, after: OnrampSession): boolean {
  const keys = ['state', 'sessionId', 'transactionHash'] as const
  if (keys.some((key) => before[key] !== after[key])) return false
  if (before.source?.cents !== after.source?.cents) return false
  const { error: one } = before
  const { error: other } = after
  return one?.errorCode === other?.errorCode && one?.requestId === other?.requestId
}

function isOfSameTime(before: OnrampSession, after: OnrampSession): boolean {
  const isSameSource = before.source?.at === after.source?.at && before.source?.rank === after.source?.rank
  return before.changedAt === after.changedAt && isSameSource
}

function textOf(verdict: SessionsVerdict): string {
  return verdict.kind === 'open' ? verdict.kind : `${verdict.kind} ${verdict.by.reference}`
}
