import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import type { UnmatchedReason } from './match-transfer.ts'
import type { PaymentKey, PaymentKind } from './payment.ts'
import type { Unmatched } from './unmatched.ts'

/** What became of money in the inbox. */
export type UnmatchedState = 'open' | 'applied' | 'refunded' | 'kept' | 'orphaned'

/** Money in the merchant's inbox, with what was decided about it. */
export type InboxPayment = Unmatched & {
  readonly id: string
  readonly chain: number
  readonly state: UnmatchedState
  readonly seenAt: UnixMs
  readonly decision: Decision | undefined
}

/** What somebody decided, and why. */
export type Decision = {
  readonly appliedTo: ReceiptId | undefined
  readonly refundId: string | undefined
  readonly note: string | undefined
  readonly by: string
  readonly at: UnixMs
}

/** Where a page of the inbox ended. */
export type InboxPlace = { readonly seenAt: number; readonly id: string }

/** The merchant's inbox, newest first, after the place `before`. */
export async function listUnmatched(
  db: Database,
  merchant: Wallet,
  query: { states: readonly UnmatchedState[]; limit: number; before: InboxPlace | undefined },
): Promise<InboxPayment[]> {
  const { states, limit, before } = query
  const rows = before
    ? await db.rows<InboxRow>(listAfter, [merchant, states, limit, before.seenAt, before.id])
    : await db.rows<InboxRow>(list, [merchant, states, limit])
  return rows.map(fromRow)
}

/** Money of the merchant's inbox, its row held until the transaction ends; lock a receipt before it, not after. */
export async function lockUnmatched(
  tx: Database,
  merchant: Wallet,
  id: string,
): Promise<InboxPayment | undefined> {
  const row = await tx.row<InboxRow>(lock, [merchant, id])
  return row && fromRow(row)
}

/** Saves what was decided about money whose row is locked. */
export async function saveDecision(
  tx: Database,
  payment: InboxPayment,
  state: UnmatchedState,
  decision: Decision,
): Promise<void> {
  const { appliedTo, refundId, note, by, at } = decision
  const values = [appliedTo ?? null, refundId ?? null, note ?? null, by, at]
  await tx.run(save, [payment.merchant, payment.id, state, ...values])
}

/** Puts money back into the inbox whose refund turned out to be none. */
export async function reopenUnmatched(
  tx: Database,
  merchant: Wallet,
  id: string,
  refundId: string,
): Promise<void> {
  await tx.run(reopen, [merchant, id, refundId])
}

/** The payment's row, which is there where the money was meant for a receipt of its own. */
export async function hasPaymentRow(
  tx: Database,
  merchant: Wallet,
  chain: number,
  key: PaymentKey,
): Promise<boolean> {
  return (await tx.row(findPayment, [merchant, chain, key.txHash, key.logIndex, key.address])) !== undefined
}

type InboxRow = {
  merchant: string
  id: string
  chain: bigint
  tx_hash: string
  log_index: bigint
  address: string
  receipt_id: string | null
  token_address: string
  amount: bigint
  payer: string | null
  reason: string
  state: string
  block_number: bigint
  block_hash: string
  block_at: bigint
  seen_at: bigint
  applied_to: string | null
  refund_id: string | null
  note: string | null
  decided_by: string | null
  decided_at: bigint | null
  kind: string | null
  source: string | null
}

function fromRow(row: InboxRow): InboxPayment {
  return {
    merchant: row.merchant as Wallet,
    id: row.id,
    chain: Number(row.chain),
    txHash: row.tx_hash as Hex,
    logIndex: Number(row.log_index),
    address: row.address as PaymentKey['address'],
    receiptId: (row.receipt_id ?? undefined) as ReceiptId | undefined,
    tokenAddress: row.token_address as Wallet,
    amount: row.amount,
    payer: (row.payer ?? undefined) as Wallet | undefined,
    kind: (row.kind ?? undefined) as PaymentKind | undefined,
    source: row.source ?? undefined,
    reason: row.reason as UnmatchedReason,
    state: row.state as UnmatchedState,
    block: { number: row.block_number, hash: row.block_hash as Hex, at: Number(row.block_at) as UnixMs },
    seenAt: Number(row.seen_at) as UnixMs,
    decision:
      row.decided_by === null || row.decided_at === null
        ? undefined
        : {
            appliedTo: (row.applied_to ?? undefined) as ReceiptId | undefined,
            refundId: row.refund_id ?? undefined,
            note: row.note ?? undefined,
            by: row.decided_by,
            at: Number(row.decided_at) as UnixMs,
          },
  }
}

const columns = `merchant, id, chain, tx_hash, log_index, address, receipt_id, token_address, amount, payer, reason,
  state, block_number, block_hash, block_at, seen_at, applied_to, refund_id, note, decided_by, decided_at,
  kind, source`

const list = {
  name: 'list-unmatched-payments',
  text: `SELECT ${columns} FROM unmatched_payment WHERE merchant = $1 AND state = ANY($2)
    ORDER BY seen_at DESC, id DESC LIMIT $3`,
}

const listAfter = {
  name: 'list-unmatched-payments-after',
  text: `SELECT ${columns} FROM unmatched_payment
    WHERE merchant = $1 AND state = ANY($2) AND (seen_at, id) < ($4, $5)
    ORDER BY seen_at DESC, id DESC LIMIT $3`,
}

const lock = {
  name: 'lock-unmatched-payment',
  text: `SELECT ${columns} FROM unmatched_payment WHERE merchant = $1 AND id = $2 FOR UPDATE`,
}

const save = {
  name: 'save-unmatched-decision',
  text: `UPDATE unmatched_payment SET state = $3, applied_to = $4, refund_id = $5, note = $6, decided_by = $7,
      decided_at = $8
    WHERE merchant = $1 AND id = $2`,
}

const reopen = {
  name: 'reopen-unmatched-payment',
  text: `UPDATE unmatched_payment SET refund_id = NULL,
      state = CASE state WHEN 'refunded' THEN 'open' ELSE state END,
      lost_state = CASE lost_state WHEN 'refunded' THEN 'open' END
    WHERE merchant = $1 AND id = $2 AND 'refunded' IN (state, lost_state) AND refund_id = $3`,
}

const findPayment = {
  name: 'find-payment-of-unmatched',
  text: `SELECT 1 AS found FROM payment
    WHERE merchant = $1 AND chain = $2 AND tx_hash = $3 AND log_index = $4 AND address = $5`,
}
