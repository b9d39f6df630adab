import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { bool, named, numeric, optional, type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, eachOf, table } from '../../platform/database/table.ts'
import { storedToken } from '../attempts/store.ts'
import type { Worth } from './evaluate-payment.ts'
import {
  compareOnChain,
  type Payment,
  type PaymentKey,
  paymentKey,
  storedBlock,
  textOfKey,
} from './payment.ts'

export async function listPayments(db: Database, merchant: Wallet, receiptId: ReceiptId): Promise<Payment[]> {
  return (await db.rows(list({ merchant, receiptId }))).sort(compareOnChain)
}

/** Sums a receipt's live payments by token and rate, which bounds the number of rows. */
export async function sumLivePayments(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<Worth[]> {
  return db.rows(sum({ merchant, receiptId }))
}

export async function findNewestPayment(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<{ txHash: Hex; payer: Wallet | undefined } | undefined> {
  return db.row(newest({ merchant, receiptId }))
}

export async function insertPayments(
  tx: Database,
  chain: number,
  payments: readonly Payment[],
): Promise<void> {
  if (payments.length > 0) await tx.run(insert({ chain, each: payments }))
}

export async function savePaymentStates(
  tx: Database,
  chain: number,
  payments: readonly Payment[],
): Promise<void> {
  if (payments.length === 0) return
  // Distinct, because the list is scanned for every payment.
  const merchants = [...new Set(payments.map(({ merchant }) => merchant))]
  await tx.run(saveStates({ merchants, each: payments.map((payment) => ({ ...payment, chain })) }))
}

export async function acceptLostPayments(
  tx: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
  now: UnixMs,
): Promise<void> {
  await tx.run(acceptLost({ merchant, receiptId, now }))
}

/**
 * Claims logs permanently for one merchant.
 *
 * @returns the payments whose log was not claimed before.
 */
export async function claimLogs<T extends PaymentKey & { readonly merchant: Wallet }>(
  tx: Database,
  chain: number,
  payments: readonly T[],
  now: UnixMs,
): Promise<Set<T>> {
  const [first] = payments
  if (!first) return new Set()
  const { merchant } = first
  const rows = await tx.rows(claim({ chain, merchant, now, each: payments }))
  const claimed = new Set(rows.map(textOfKey))
  return new Set(payments.filter((payment) => claimed.has(textOfKey(payment))))
}

export const paymentTable = table<Payment>('payment', {
  merchant: text(),
  ...paymentKey,
  receiptId: text(),
  attemptId: text(),
  kind: text(),
  source: optional(text()),
  token: storedToken,
  units: named('amount', numeric()),
  payer: optional(text()),
  rate: named('rate_e8', numeric()),
  isLate: bool(),
  block: storedBlock,
  state: text(),
  seenAt: time(),
  creditedAt: optional(time()),
  acceptedAt: optional(time()),
})

const list = statement({
  name: 'list-payments',
  text: `SELECT ${columnsOf(paymentTable)} FROM payment WHERE merchant = :merchant AND receipt_id = :receiptId`,
  reads: paymentTable,
})

const insert = statement({
  name: 'insert-payments',
  text: `INSERT INTO payment (chain, ${columnsOf(paymentTable)}) SELECT :chain, * FROM ${eachOf(paymentTable)}`,
  writes: paymentTable,
})

const saveStates = statement({
  name: 'save-payment-states',
  // A plan cached for a small table may scan all payments of a merchant for each row.
  isPlannedAnew: true,
  // Joins on the whole key: with a constant part, the planner may scan all of a merchant's payments.
  text: `UPDATE payment SET state = fresh.state, credited_at = fresh.credited_at
    FROM unnest(:each.merchant::text[], :each.chain::int8[], :each.txHash::text[], :each.logIndex::int8[],
      :each.address::text[], :each.state::text[], :each.creditedAt::int8[])
      AS fresh (merchant, chain, tx_hash, log_index, address, state, credited_at)
    WHERE payment.merchant = ANY(:merchants::text[]) AND payment.merchant = fresh.merchant
      AND payment.chain = fresh.chain AND payment.tx_hash = fresh.tx_hash AND payment.log_index = fresh.log_index AND payment.address = fresh.address`,
})

const acceptLost = statement({
  name: 'accept-lost-payments',
  text: `UPDATE payment SET accepted_at = :now
    WHERE merchant = :merchant AND receipt_id = :receiptId AND state = 'orphaned' AND credited_at IS NOT NULL
      AND accepted_at IS NULL`,
})

const claim = statement({
  name: 'claim-logs',
  text: `INSERT INTO log_claim (tx_hash, chain, log_index, address, merchant, claimed_at)
    SELECT tx_hash, :chain, log_index, address, :merchant, :now
    FROM unnest(:each.txHash::text[], :each.logIndex::int8[], :each.address::text[]) AS log (tx_hash, log_index,
      address)
    ON CONFLICT DO NOTHING RETURNING tx_hash, log_index, address`,
  reads: paymentKey,
})

const newestFirst = `block_number DESC, log_index DESC, tx_hash COLLATE "C" DESC, address COLLATE "C" DESC`

const worth: Parts<Worth> = {
  token: storedToken,
  units: named('amount', numeric()),
  rate: named('rate_e8', numeric()),
}

const sum = statement({
  name: 'sum-live-payments',
  reads: worth,
  text: `SELECT token, token_address, rate_e8, sum(amount) AS amount FROM payment
    WHERE merchant = :merchant AND receipt_id = :receiptId AND state IN ('seen', 'credited')
    GROUP BY token, token_address, rate_e8`,
})

const newest = statement({
  name: 'find-newest-payment',
  reads: { txHash: text<Hex>(), payer: optional(text<Wallet>()) },
  text: `SELECT tx_hash, payer FROM payment
    WHERE merchant = :merchant AND receipt_id = :receiptId AND state IN ('seen', 'credited')
    ORDER BY ${newestFirst} LIMIT 1`,
})
