import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled } from '@sluice/protocol/receipt-status.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { OnrampProvider, SessionReport } from '../../onramp/provider.ts'
import type { Database } from '../../platform/database/database.ts'
import { changeStatus } from '../../receipts/change-status.ts'
import { customerTotalCents, type ProviderSession, type Receipt } from '../../receipts/receipt.ts'
import { recordProgress } from '../../receipts/record-progress.ts'
import { isReturned } from '../../receipts/refunds/store.ts'
import { lockReceipt } from '../../receipts/store.ts'
import { closeAttempts, closeOffers, listAttempts } from '../attempts/store.ts'
import { listPayments } from '../ledger/store.ts'
import { describeError } from './call-provider.ts'
import {
  coversTotal,
  type MergedReport,
  mergeReport,
  type SessionsVerdict,
  shownSession,
  triggersOf,
} from './evaluate-sessions.ts'
import { type ApplyNeeds, reportDelivery } from './report-delivery.ts'
import { deliveryDueAt, isReversal, type OnrampSession } from './session.ts'
import { findPlace, listSessions, saveSession } from './store.ts'

type ReportSource = 'event' | 'poll' | 'list' | 'call'

type Reported = Omit<SessionReport, 'sessionId'> & { readonly sessionId: string | undefined }

type ApplyOutcome = 'moved' | 'recorded' | 'unchanged' | 'unmatched'

/**
 * Applies a provider's report in the caller's transaction. Safe to repeat, and to call in any order.
 *
 * See docs/contract.md#cards.
 */
export async function applyReport(
  needs: ApplyNeeds,
  provider: OnrampProvider,
  report: Reported,
  source: ReportSource,
): Promise<ApplyOutcome> {
  const { tx, log } = needs
  const place = await findPlace(tx, provider.name, report)
  if (!place) return 'unmatched'
  const { merchant, receiptId, reference } = place
  const locked = await lockReceipt(tx, merchant, receiptId)
  assert(locked, 'a receipt is never deleted')
  const sessions = await listSessions(tx, merchant, receiptId)
  const before = sessions.find((each) => each.reference === reference)
  assert(before, 'a stored session has a location')
  const sessionId = report.sessionId ?? before.sessionId
  if (before.sessionId !== undefined && before.sessionId !== sessionId) {
    const named = { merchant, receiptId, reference, sessionId, provider: provider.name }
    log.error(
      { alert: 'session-differs', ...named },
      'a provider reported another session for our reference; it is ignored',
    )
    return 'unmatched'
  }
  const delivery = locked.providerSession?.delivery
  const isKnown = delivery === 'reversed' || delivery === 'accepted'
  const isNew = isReversal(before, report.change) && !isKnown
  const receipt = isNew ? await reportDelivery(needs, locked, before, 'reversed') : locked
  const merged = mergeReport(sessions, before, { sessionId, change: report.change }, receipt.currentAttempt)
  if (merged.weight === 'nothing') return isNew ? 'moved' : 'unchanged'
  await saveSession(tx, merged.changed, firstLook(needs.clock.now(), merged))
  if (merged.weight === 'time') return isNew ? 'moved' : 'unchanged'
  const outcome = await moveReceipt(needs, provider, { receipt, merged, source })
  return isNew ? 'moved' : outcome
}

type Change = {
  readonly receipt: Receipt
  readonly merged: MergedReport
  readonly source: ReportSource
}

async function moveReceipt(
  needs: ApplyNeeds,
  provider: OnrampProvider,
  { receipt, merged, source }: Change,
): Promise<ApplyOutcome> {
  const { merchant, id } = receipt
  const { sessions, changed } = merged
  const isCovered = await covers(needs.tx, receipt, merged)
  const verdict = isCovered ? merged.verdict : openVerdict
  const providerSession = viewSession(shownSession(sessions, merged.verdict), verdict, receipt)
  const about = { provider: provider.name, state: changed.state, source, attemptId: changed.attemptId }
  const { sessionId: providerSessionId, transactionHash } = changed
  const detail = { ...about, providerSessionId, transactionHash, ...(!isCovered && { isCovered }) }
  const failure = verdict.kind === 'failed' ? describeError(provider, verdict.by.error) : undefined
  await closeEnded(needs, receipt, changed, verdict)

  const attemptId = verdict.kind === 'open' ? changed.attemptId : verdict.by.attemptId
  let isMoved = false
  for (const kind of triggersOf(verdict, receipt.status)) {
    const trigger = { kind, detail, attemptId, providerSession, ...(failure && { failure }) }
    if ((await changeStatus(needs, merchant, id, trigger)).kind === 'moved') isMoved = true
  }
  if (isMoved) return 'moved'
  await recordProgress(needs, merchant, id, {
    ...(providerSession && { providerSession }),
    ...(failure && { failure }),
    entries: [{ kind: 'provider_event', detail }],
  })
  return 'recorded'
}

const openVerdict: SessionsVerdict = { kind: 'open' }

async function covers(tx: Database, receipt: Receipt, { sessions, verdict }: MergedReport): Promise<boolean> {
  if (verdict.kind !== 'paid' && verdict.kind !== 'ach_pending') return true
  if (await isReturned(tx, receipt)) return false
  const { merchant, id: receiptId } = receipt
  const attempts = await listAttempts(tx, merchant, receiptId)
  const paid = await listPayments(tx, merchant, receiptId)
  return coversTotal(customerTotalCents(receipt), sessions, { verdict, attempts, paid })
}

async function closeEnded(
  { tx, clock }: ApplyNeeds,
  { merchant, id, status }: Receipt,
  { attemptId, state }: OnrampSession,
  verdict: SessionsVerdict,
): Promise<void> {
  if ((verdict.kind === 'paid' || verdict.kind === 'ach_pending') && !isSettled(status))
    return closeOffers({ tx, clock }, merchant, id)
  if (state !== 'failed' && state !== 'returned') return
  const attempts = await listAttempts(tx, merchant, id)
  const over = attempts.filter((each) => each.id === attemptId && each.closedAt === undefined)
  await closeAttempts(tx, over, clock.now())
}

function viewSession(
  session: OnrampSession | undefined,
  verdict: SessionsVerdict,
  { providerSession }: Receipt,
): ProviderSession | undefined {
  if (session?.sessionId === undefined) return undefined
  const { provider, sessionId, source } = session
  const isPaid = verdict.kind === 'paid'
  const delivery = providerSession?.delivery
  return { provider, sessionId, sourceCents: source?.cents, isPaid, ...(delivery && { delivery }) }
}

const dayMs = 24 * 3_600_000
const shortestPauseMs = 30_000
const longestPauseMs = 6 * 3_600_000

const askedForMs = {
  opening: 0,
  opened: 3 * dayMs,
  failed: dayMs,
  ach_pending: 30 * dayMs,
  returned: 0,
  accepted: 30 * dayMs,
  settled: 0,
}

/** Returns the time of the next poll after a report: now if the report came after the delivery was due. */
function firstLook(now: UnixMs, { changed, weight }: MergedReport): UnixMs | undefined {
  const dueAt = deliveryDueAt(changed)
  return weight === 'news' && dueAt !== undefined && dueAt <= now ? now : nextLook(now, changed)
}

/**
 * Returns the time of the next poll, or `undefined` if no further poll is due.
 *
 * The interval grows with the age of the session. An overdue delivery is always checked.
 */
export function nextLook(
  now: UnixMs,
  session: Pick<OnrampSession, 'state' | 'openedAt' | 'changedAt'>,
): UnixMs | undefined {
  const { state, openedAt } = session
  const dueAt = deliveryDueAt(session)
  const nextDue = dueAt !== undefined && dueAt > now ? dueAt : undefined
  const age = now - openedAt
  if (age >= askedForMs[state]) return nextDue
  const next = addMs(now, Math.min(longestPauseMs, Math.max(shortestPauseMs, Math.round(age / 2))))
  return nextDue !== undefined && nextDue < next ? nextDue : next
}

/**
 * Closes a receipt's offers so that the receipt can be edited. Closed offers stay watched.
 *
 * Returns `false` and changes nothing if a buyer requested an offer, or if a provider's session can still
 * receive a payment. The caller must hold the receipt's lock.
 */
export async function withdrawOffers(
  { tx, clock }: { tx: Database; clock: Clock },
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<boolean> {
  const now = clock.now()
  const sessions = await listSessions(tx, merchant, receiptId)
  const canBePaid = (session: OnrampSession) =>
    session.state === 'opening' || (session.state !== 'settled' && nextLook(now, session) !== undefined)
  if (sessions.some(canBePaid)) return false
  const attempts = await listAttempts(tx, merchant, receiptId)
  const standing = attempts.filter(({ closedAt }) => closedAt === undefined)
  if (standing.some(({ askedAt }) => askedAt !== undefined)) return false
  await closeAttempts(tx, standing, now)
  return true
}
