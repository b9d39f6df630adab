import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { changeStatus } from '../change-status.ts'
import { customerTotalCents, type Receipt } from '../receipt.ts'
import { enqueueReceiptEvent } from '../receipt-event.ts'
import { recordProgress } from '../record-progress.ts'
import { lockReceipt, saveProgress } from '../store.ts'
import { countedCents, isMissing, type Refund, refundableCents, takenCents } from './refund.ts'
import { findRefund, listRefunds, saveRefundMark } from './store.ts'

/**
 * Changes a receipt to `refunded` once counted refunds cover the amount that the customer paid. Safe to
 * repeat.
 */
export async function completeRefunds(
  needs: { tx: Database; clock: Clock; random: Random; log: Log },
  merchant: Wallet,
  id: ReceiptId,
  detail: Readonly<Record<string, unknown>>,
): Promise<'moved' | 'stayed'> {
  const { receipt, counted } = await countRefunded(needs.tx, merchant, id)
  if (counted < customerTotalCents(receipt)) return 'stayed'
  return (await changeStatus(needs, merchant, id, { kind: 'refunds_complete', detail })).kind
}

async function countRefunded(
  tx: Database,
  merchant: Wallet,
  id: ReceiptId,
): Promise<{ receipt: Receipt; counted: Cents }> {
  const receipt = await lockReceipt(tx, merchant, id)
  assert(receipt, 'a refund belongs to a receipt')
  const counted = countedCents(await listRefunds(tx, merchant, id))
  if (counted !== receipt.refundedCents) await saveProgress(tx, { ...receipt, refundedCents: counted })
  return { receipt, counted }
}

/**
 * Records the chain's verdict on a refund in the caller's transaction, including the history and, if fully
 * refunded, the status. Has no effect if the mark is unchanged or final, so a late check cannot revert a
 * newer result. Reports a missing transaction to the operator and the merchant. If it returns after the money
 * was refunded again, it no longer counts.
 *
 * @returns whether an event was recorded for the merchant.
 */
export async function markRefund(
  needs: { tx: Database; clock: Clock; random: Random; log: Log },
  { merchant, id, receiptId }: Pick<Refund, 'merchant' | 'id' | 'receiptId'>,
  verdict: Pick<Refund, 'mark' | 'error'>,
): Promise<{ isNew: boolean }> {
  const held = receiptId && (await lockReceipt(needs.tx, merchant, receiptId))
  const refund = await findRefund(needs.tx, merchant, id)
  const isSame = refund?.mark === verdict.mark && refund?.error === verdict.error
  if (!refund || isSame || isFinalMark(refund.mark)) return { isNew: false }
  const isReplaced = held && isMissing(refund) && (await isTaken(needs.tx, held, refund))
  const mark = isReplaced ? replaced : verdict
  const marked: Refund = { ...refund, ...mark, markedAt: needs.clock.now() }
  await saveRefundMark(needs.tx, marked)
  if (isMissing(marked)) alert(needs.log, marked)
  if (!receiptId) return { isNew: false }
  const detail = {
    refundId: refund.id,
    transactionHash: refund.txHash ?? null,
    mark: marked.mark ?? null,
    ...(marked.error && { error: marked.error }),
  }
  const receipt = await recordProgress(needs, merchant, receiptId, {
    entries: [{ kind: 'refund_marked', detail }],
  })
  await countRefunded(needs.tx, merchant, receiptId)
  if (isMissing(marked)) {
    // The entry number makes the key unique: a transaction that goes missing again is reported again.
    const suffix = `refund-missing:${refund.txHash}:${receipt.historyCount}`
    const fact = { transactionHash: receipt.transactionHash, suffix }
    await enqueueReceiptEvent(needs, receipt, { previousStatus: receipt.status, fact })
    return { isNew: true }
  }
  const isComplete =
    marked.mark === 'recipient_validated' &&
    (await completeRefunds(needs, merchant, receiptId, { refundId: refund.id })) === 'moved'
  return { isNew: isComplete }
}

const replaced = {
  mark: 'tx_mismatch',
  error: 'the transaction was missing, and other refunds have taken its place',
} as const

/** Returns whether other refunds leave no room for this one. */
async function isTaken(tx: Database, receipt: Receipt, { id, kind, usdCents }: Refund): Promise<boolean> {
  if (kind === 'unmatched' || usdCents === undefined) return false
  const others = (await listRefunds(tx, receipt.merchant, receipt.id)).filter((each) => each.id !== id)
  return takenCents(others, kind) + usdCents > refundableCents(receipt, kind)
}

function alert(log: Log, { merchant, id, receiptId, unmatchedId, txHash, error }: Refund): void {
  const fields = { alert: 'refund-missing', merchant, receiptId, unmatchedId, refundId: id, error }
  log.error({ ...fields, transactionHash: txHash }, 'a refund transaction is missing from the chain')
}

function isFinalMark(mark: Refund['mark']): boolean {
  return mark === 'recipient_validated' || mark === 'tx_mismatch'
}
