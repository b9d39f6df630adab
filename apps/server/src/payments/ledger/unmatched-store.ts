import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import {
  count,
  named,
  numeric,
  optional,
  type Part,
  text,
  through,
  time,
} from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table } from '../../platform/database/table.ts'
import { type PaymentKey, paymentKey, storedBlock } from './payment.ts'
import type { UnlistedToken, Unmatched } from './unmatched.ts'

export type UnmatchedState = 'open' | 'applied' | 'refunded' | 'kept' | 'orphaned'

export type StoredUnmatched = Unmatched & {
  readonly id: string
  readonly chain: number
  readonly state: UnmatchedState
  readonly seenAt: UnixMs
  readonly decision: Decision | undefined
}

export type Decision = {
  readonly appliedTo: ReceiptId | undefined
  /** For an `open` payment: a refund that has not been verified yet. */
  readonly refundId: string | undefined
  readonly note: string | undefined
  readonly by: string
  readonly at: UnixMs
}

export type InboxPlace = { readonly seenAt: number; readonly id: string }

export async function listUnmatched(
  db: Database,
  merchant: Wallet,
  query: { states: readonly UnmatchedState[]; limit: number; before: InboxPlace | undefined },
): Promise<StoredUnmatched[]> {
  const { states, limit, before } = query
  const asked = { merchant, states, limit }
  return db.rows(before ? listAfter({ ...asked, before }) : list(asked))
}

export async function findUnmatched(
  db: Database,
  merchant: Wallet,
  id: string,
): Promise<StoredUnmatched | undefined> {
  return db.row(find({ merchant, id }))
}

/**
 * Lists the transactions of a receipt's open unmatched payments, newest first. Excludes native coin without a
 * transaction.
 */
export async function listClaimableHashes(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
  limit: number,
): Promise<string[]> {
  return (await db.rows(listOfReceipt({ merchant, receiptId, limit }))).map(({ txHash }) => txHash)
}

/** Locks an unmatched payment until the transaction ends. Lock the receipt first, to avoid deadlocks. */
export async function lockUnmatched(
  tx: Database,
  merchant: Wallet,
  id: string,
): Promise<StoredUnmatched | undefined> {
  return tx.row(lock({ merchant, id }))
}

export async function saveDecision(
  tx: Database,
  payment: StoredUnmatched,
  state: UnmatchedState,
  decision: Decision,
): Promise<void> {
  await tx.run(save({ merchant: payment.merchant, id: payment.id, state, ...decision }))
}

/** Closes a payment after a verified refund, or reopens the payment if the transaction was not a refund. */
export async function settleUnmatchedRefund(
  tx: Database,
  refund: { readonly merchant: Wallet; readonly id: string; readonly unmatchedId: string | undefined },
  isReturned: boolean,
): Promise<void> {
  const { merchant, id: refundId, unmatchedId: id } = refund
  await tx.run(settleRefund({ merchant, id, refundId, isReturned, state: isReturned ? 'refunded' : 'open' }))
}

export async function hasPaymentRow(
  tx: Database,
  merchant: Wallet,
  chain: number,
  key: PaymentKey,
): Promise<boolean> {
  return (await tx.row(findPayment({ merchant, chain, ...key }))) !== undefined
}

export const storedUnlisted: Part<UnlistedToken | undefined> = through(
  { name: named('token_name', optional(text())), decimals: named('token_decimals', optional(count())) },
  ({ name, decimals }) => (decimals === undefined ? undefined : { name, decimals }),
)

const inboxTable = table<StoredUnmatched>('unmatched_payment', {
  merchant: text(),
  id: text(),
  chain: count(),
  ...paymentKey,
  receiptId: optional(text()),
  tokenAddress: text(),
  unlisted: storedUnlisted,
  amount: numeric(),
  payer: optional(text()),
  kind: optional(text()),
  source: optional(text()),
  reason: text(),
  state: text(),
  block: storedBlock,
  seenAt: time(),
  decision: through(
    {
      appliedTo: optional(text<ReceiptId>()),
      refundId: optional(text()),
      note: optional(text()),
      by: named('decided_by', optional(text())),
      at: named('decided_at', optional(time())),
    },
    ({ by, at, ...decision }) => (by === undefined || at === undefined ? undefined : { ...decision, by, at }),
  ),
})

const list = statement({
  name: 'list-unmatched-payments',
  reads: inboxTable,
  text: `SELECT ${columnsOf(inboxTable)} FROM unmatched_payment WHERE merchant = :merchant AND state = ANY(:states)
    ORDER BY seen_at DESC, id DESC LIMIT :limit`,
})

const listAfter = statement({
  name: 'list-unmatched-payments-after',
  reads: inboxTable,
  text: `SELECT ${columnsOf(inboxTable)} FROM unmatched_payment
    WHERE merchant = :merchant AND state = ANY(:states) AND (seen_at, id) < (:before.seenAt, :before.id)
    ORDER BY seen_at DESC, id DESC LIMIT :limit`,
})

const find = statement({
  name: 'find-unmatched-payment',
  reads: inboxTable,
  text: `SELECT ${columnsOf(inboxTable)} FROM unmatched_payment WHERE merchant = :merchant AND id = :id`,
})

const listOfReceipt = statement({
  name: 'list-unmatched-payments-of-receipt',
  reads: { txHash: text() },
  text: `SELECT tx_hash FROM unmatched_payment
    WHERE merchant = :merchant AND receipt_id = :receiptId AND state = 'open' AND tx_hash <> block_hash
    GROUP BY tx_hash ORDER BY max(seen_at) DESC, tx_hash LIMIT :limit`,
})

const lock = statement({
  name: 'lock-unmatched-payment',
  reads: inboxTable,
  text: `SELECT ${columnsOf(inboxTable)} FROM unmatched_payment WHERE merchant = :merchant AND id = :id FOR UPDATE`,
})

const save = statement({
  name: 'save-unmatched-decision',
  text: `UPDATE unmatched_payment SET state = :state, applied_to = :appliedTo, refund_id = :refundId, note = :note,
    decided_by = :by,
      decided_at = :at
    WHERE merchant = :merchant AND id = :id`,
})

const settleRefund = statement({
  name: 'settle-unmatched-refund',
  text: `UPDATE unmatched_payment SET refund_id = CASE WHEN :isReturned::bool THEN refund_id END,
      state = CASE WHEN state IN ('open', 'refunded') THEN :state ELSE state END,
      lost_state = CASE WHEN lost_state IN ('open', 'refunded') THEN :state ELSE lost_state END
    WHERE merchant = :merchant AND id = :id AND refund_id = :refundId`,
})

const findPayment = statement({
  name: 'find-payment-of-unmatched',
  text: `SELECT 1 AS found FROM payment
    WHERE merchant = :merchant AND chain = :chain AND tx_hash = :txHash AND log_index = :logIndex
      AND address = :address`,
})
