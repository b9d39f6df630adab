import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { toColumns } from '../../platform/database/to-columns.ts'
import { tokenOf } from '../attempts/store.ts'
import { compareOnChain, type Payment, type PaymentKey, textOfKey } from './payment.ts'

/** All that was ever seen for a receipt, in the order of the chain. */
export async function listPayments(db: Database, merchant: Wallet, receiptId: ReceiptId): Promise<Payment[]> {
  const rows = await db.rows<PaymentRow>(list, [merchant, receiptId])
  return rows.map(fromRow).sort(compareOnChain)
}

/** Stores payments that were not known under their keys. One statement: anybody can send thousands of tiny ones. */
export async function insertPayments(
  tx: Database,
  chain: number,
  payments: readonly Payment[],
): Promise<void> {
  if (payments.length === 0) return
  const rows = payments.map((payment) => [
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
  await tx.run(insert, toColumns(rows))
}

/** Saves the states of payments, and the moments of their credit. */
export async function savePaymentStates(
  tx: Database,
  chain: number,
  payments: readonly Payment[],
): Promise<void> {
  if (payments.length === 0) return
  const rows = payments.map((payment) => [
    ...keyOf(payment, chain),
    payment.state,
    payment.creditedAt ?? null,
  ])
  await tx.run(saveStates, toColumns(rows))
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

/**
 * Claims logs for one merchant, for ever.
 *
 * @returns those of the payments whose log had not been claimed before.
 */
export async function claimLogs<T extends PaymentKey & { readonly merchant: Wallet }>(
  tx: Database,
  chain: number,
  payments: readonly T[],
  now: UnixMs,
): Promise<Set<T>> {
  const [first] = payments
  if (!first) return new Set()
  const keys = payments.map(({ txHash, logIndex, address }) => [txHash, logIndex, address])
  const rows = await tx.rows<{ tx_hash: string; log_index: bigint; address: string }>(claim, [
    chain,
    first.merchant,
    now,
    ...toColumns(keys),
  ])
  const claimed = new Set(
    rows.map((row) =>
      textOfKey({ txHash: row.tx_hash as Hex, logIndex: Number(row.log_index), address: row.address as Hex }),
    ),
  )
  return new Set(payments.filter((payment) => claimed.has(textOfKey(payment))))
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
  name: 'insert-payments',
  text: `INSERT INTO payment (merchant, chain, tx_hash, log_index, address, receipt_id, attempt_id, kind, token,
      token_address, amount, payer, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at, credited_at,
      source)
    SELECT * FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::numeric[], $12::text[], $13::numeric[], $14::bool[], $15::int8[], $16::text[],
      $17::int8[], $18::text[], $19::int8[], $20::int8[], $21::text[])`,
}

const saveStates = {
  name: 'save-payment-states',
  // The whole key comes from the rows: with a part of it fixed, a plan may go through all of a merchant's payments.
  text: `UPDATE payment SET state = fresh.state, credited_at = fresh.credited_at
    FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::text[], $7::int8[])
      AS fresh (merchant, chain, tx_hash, log_index, address, state, credited_at)
    WHERE payment.merchant = fresh.merchant AND payment.chain = fresh.chain AND payment.tx_hash = fresh.tx_hash
      AND payment.log_index = fresh.log_index AND payment.address = fresh.address`,
}

const acceptLost = {
  name: 'accept-lost-payments',
  text: `UPDATE payment SET accepted_at = $3
    WHERE merchant = $1 AND receipt_id = $2 AND state = 'orphaned' AND credited_at IS NOT NULL
      AND accepted_at IS NULL`,
}

const claim = {
  name: 'claim-logs',
  text: `INSERT INTO log_claim (tx_hash, chain, log_index, address, merchant, claimed_at)
    SELECT tx_hash, $1, log_index, address, $2, $3
    FROM unnest($4::text[], $5::int8[], $6::text[]) AS log (tx_hash, log_index, address)
    ON CONFLICT DO NOTHING RETURNING tx_hash, log_index, address`,
}
