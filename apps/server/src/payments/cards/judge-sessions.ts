import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { TriggerKind } from '../../receipts/status.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { worthInCents } from '../ledger/judge-payment.ts'
import type { Payment } from '../ledger/payment.ts'
import { compareSessions, isTaken, type OnrampSession } from './session.ts'

/** What the sessions of a receipt come to, and which of them says so. */
export type SessionsVerdict =
  | { readonly kind: 'paid' | 'ach_pending' | 'failed'; readonly by: OnrampSession }
  | { readonly kind: 'open' }

/**
 * What the sessions of a receipt say of it, all together. Pure; only how they stand counts, not how they came to.
 *
 * One whose money was taken pays it; else a bank payment on its way holds it; else it has failed where a bank payment
 * came back, or where the session of the current attempt failed. The failure of any other attempt is stale.
 */
export function judgeSessions(
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
 * Whether sessions of a verdict cover what the customer owes now: the amounts ordered in them, and the credited
 * payments that they did not deliver. If not, the provider's word pays nothing, and the chain decides. Pure.
 *
 * @param total - As it is now: an edit may have raised it since a session was opened.
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

/** The session that a receipt shows: the one that decided, else the newest that the provider gave an id. */
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
 * What a verdict is pulled as, of a receipt in a status; the status table decides what moves. A bank payment that came
 * back had been accepted before, whether that was heard or not: the receipt takes both steps.
 */
export function triggersOf(verdict: SessionsVerdict, status: ReceiptStatus): readonly TriggerKind[] {
  if (verdict.kind === 'paid') return ['payment_verified']
  if (verdict.kind === 'ach_pending') return ['ach_accepted']
  if (verdict.kind === 'open') return []
  if (status === 'paid - ach pending') return ['ach_returned']
  const isUnheard = verdict.by.state === 'returned' && status !== 'failed'
  return isUnheard ? ['ach_accepted', 'ach_returned'] : ['failure_verified']
}
