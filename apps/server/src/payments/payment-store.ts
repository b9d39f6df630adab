import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import type { Database } from '../platform/database.ts'
import { tokenOf } from './attempt-store.ts'
import { compareOnChain, type Payment, type PaymentKey } from './payment.ts'

/** All that was ever seen for a receipt, in the order of the chain. */
export async function listPayments(db: Database, merchant: Wallet, receiptId: ReceiptId): Promise<Payment[]> {
  const rows = await db.rows<PaymentRow>(list, [merchant, receiptId])
  return rows.map(fromRow).sort(compareOnChain)
}

/** Stores a payment that was not known under its key. */
export async function insertPayment(tx: Database, chain: number, payment: Payment): Promise<void> {
  await tx.run(insert, [
    payment.merchant,
    chain,
    payment.txHash,
    payment.logIndex,
    payment.address,
    payment.receiptId,
    payment.attemptId,
    payment.kind,
    payment.token.symbol,
    payment.token.address,
    payment.units,
    payment.payer ?? null,
    payment.rate,
    payment.isLate,
    payment.block.number,
    payment.block.hash,
    payment.block.at,
    payment.state,
    payment.seenAt,
    payment.creditedAt ?? null,
    payment.source ?? null,
  ])
}

/** Saves the state of a payment, and the moment of its credit. */
export async function savePaymentState(tx: Database, chain: number, payment: Payment): Promise<void> {
  await tx.run(saveState, [...keyOf(payment, chain), payment.state, payment.creditedAt ?? null])
}

/** Notes that nobody waits any longer for the payments of a receipt that the chain took back. */
export async function acceptLostPayments(
  tx: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
  now: UnixMs,
): Promise<void> {
  await tx.run(acceptLost, [merchant, receiptId, now])
}

/** Claims a log for ever; `false` where it was claimed before. */
export async function claimLog(
  tx: Database,
  chain: number,
  payment: PaymentKey & { readonly merchant: Wallet },
  now: UnixMs,
): Promise<boolean> {
  const { txHash, logIndex, address, merchant } = payment
  return (await tx.run(claim, [txHash, chain, logIndex, address, merchant, now])) > 0
}

function keyOf(payment: Payment, chain: number) {
  return [payment.merchant, chain, payment.txHash, payment.logIndex, payment.address] as const
}

type PaymentRow = {
  merchant: string
  tx_hash: string
  log_index: bigint
  address: string
  receipt_id: string
  attempt_id: string
  kind: string
  token: string
  token_address: string
  amount: bigint
  payer: string | null
  rate_e8: bigint
  is_late: boolean
  block_number: bigint
  block_hash: string
  block_at: bigint
  state: string
  seen_at: bigint
  credited_at: bigint | null
  source: string | null
  accepted_at: bigint | null
}

function fromRow(row: PaymentRow): Payment {
  return {
    merchant: row.merchant as Wallet,
    txHash: row.tx_hash as Hex,
    logIndex: Number(row.log_index),
    address: row.address as Payment['address'],
    receiptId: row.receipt_id as ReceiptId,
    attemptId: row.attempt_id,
    kind: row.kind as Payment['kind'],
    token: tokenOf(row.token, row.token_address),
    units: row.amount as TokenUnits,
    payer: (row.payer ?? undefined) as Wallet | undefined,
    rate: row.rate_e8 as RateE8,
    isLate: row.is_late,
    block: {
      number: row.block_number,
      hash: row.block_hash as Hex,
      at: Number(row.block_at) as UnixMs,
    },
    state: row.state as Payment['state'],
    seenAt: Number(row.seen_at) as UnixMs,
    creditedAt: row.credited_at === null ? undefined : (Number(row.credited_at) as UnixMs),
    source: row.source ?? undefined,
    acceptedAt: row.accepted_at === null ? undefined : (Number(row.accepted_at) as UnixMs),
  }
}

const list = {
  name: 'list-payments',
  text: `SELECT merchant, tx_hash, log_index, address, receipt_id, attempt_id, kind, token, token_address, amount,
      payer, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at, credited_at,
      source, accepted_at
    FROM payment WHERE merchant = $1 AND receipt_id = $2`,
}

const insert = {
  name: 'insert-payment',
  text: `INSERT INTO payment (merchant, chain, tx_hash, log_index, address, receipt_id, attempt_id, kind, token,
      token_address, amount, payer, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at, credited_at,
      source)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
}

const saveState = {
  name: 'save-payment-state',
  text: `UPDATE payment SET state = $6, credited_at = $7
    WHERE merchant = $1 AND chain = $2 AND tx_hash = $3 AND log_index = $4 AND address = $5`,
}

const acceptLost = {
  name: 'accept-lost-payments',
  text: `UPDATE payment SET accepted_at = $3
    WHERE merchant = $1 AND receipt_id = $2 AND state = 'orphaned' AND credited_at IS NOT NULL
      AND accepted_at IS NULL`,
}

const claim = {
  name: 'claim-log',
  text: `INSERT INTO log_claim (tx_hash, chain, log_index, address, merchant, claimed_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
}
