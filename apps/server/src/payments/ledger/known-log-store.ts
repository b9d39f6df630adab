import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import type { KnownLog } from './known-log.ts'
import { isSameKey, type PaymentBlock, type PaymentKey, type PaymentKind } from './payment.ts'

/** What the books have of transactions, and of lost coin that had none at `coinAddresses`. */
export async function listKnownLogs(
  db: Database,
  chain: number,
  merchant: Wallet,
  txHashes: readonly Hex[],
  coinAddresses: readonly string[],
): Promise<KnownLog[]> {
  const values = [merchant, chain, txHashes, coinAddresses]
  const cases = (await db.rows<LogRow>(listCases, values)).map(fromRow)
  const payments = (await db.rows<LogRow>(listOwn, values)).map(fromRow)
  return [
    ...payments.map((payment) => ({
      ...payment,
      isDecided: cases.some((each) => isSameKey(each, payment) && each.isDecided),
    })),
    ...cases.filter((each) => !payments.some((payment) => isSameKey(payment, each))),
  ]
}

/**
 * Marks money whose block is no longer part of the chain: payments, their claims and cases together. All of
 * it stays, logs under the hash of that block: the same place in another block may now belong to another log.
 *
 * @param standing - Blocks that are known to be part of the chain: what stands in one of them is left alone.
 * @returns the payments among them, under the keys they have from now on.
 */
export async function loseLogs(
  tx: Database,
  chain: number,
  merchant: Wallet,
  keys: readonly PaymentKey[],
  standing: readonly Hex[],
): Promise<PaymentKey[]> {
  if (keys.length === 0) return []
  const values = [
    keys.map(() => merchant),
    keys.map(() => chain),
    keys.map(({ txHash }) => txHash),
    keys.map(({ logIndex }) => logIndex),
    keys.map(({ address }) => address),
    standing,
  ]
  const rows = await tx.rows<{ tx_hash: string; log_index: bigint; address: string }>(losePayments, values)
  await tx.run(loseClaims, [
    rows.map(() => chain),
    rows.map((row) => row.tx_hash),
    rows.map((row) => row.log_index),
    rows.map((row) => row.address),
  ])
  await tx.run(loseCases, values)
  return rows.map((row) => ({
    txHash: row.tx_hash as Hex,
    logIndex: Number(row.log_index),
    address: row.address as PaymentKey['address'],
  }))
}

/**
 * Gives money that the chain had lost the place it stands in now, perhaps under another log index. Payment,
 * claim and case go along together, so that it still credits once and is decided about once: what was credited
 * is credited, what somebody decided stays decided, and the rest is judged anew.
 */
export async function returnLog(
  tx: Database,
  chain: number,
  was: KnownLog,
  { txHash, logIndex, address, block }: PaymentKey & { readonly block: PaymentBlock },
): Promise<void> {
  const from = [was.txHash, was.logIndex, was.address]
  const place = [txHash, logIndex, address, block.number, block.hash, block.at]
  const isPayment = was.receiptId !== undefined
  if (isPayment) {
    await tx.run(movePayment, [was.merchant, chain, ...from, ...place, was.isDecided])
    await tx.run(moveClaim, [chain, ...from, txHash, logIndex, address])
  }
  await tx.run(moveCase, [was.merchant, chain, ...from, ...place, !isPayment || was.isDecided])
}

type LogRow = {
  merchant: string
  tx_hash: string
  log_index: bigint
  address: string
  receipt_id: string | null
  kind: string | null
  source: string | null
  token_address: string
  amount: bigint
  payer: string | null
  is_lost: boolean
  is_decided: boolean
  block_number: bigint
  block_hash: string
  block_at: bigint
}

function fromRow(row: LogRow): KnownLog {
  return {
    merchant: row.merchant as Wallet,
    txHash: row.tx_hash as Hex,
    logIndex: Number(row.log_index),
    address: row.address as PaymentKey['address'],
    receiptId: (row.receipt_id ?? undefined) as ReceiptId | undefined,
    kind: (row.kind ?? undefined) as PaymentKind | undefined,
    source: row.source ?? undefined,
    tokenAddress: row.token_address as Wallet,
    amount: row.amount,
    payer: (row.payer ?? undefined) as Wallet | undefined,
    isLost: row.is_lost,
    isDecided: row.is_decided,
    block: { number: row.block_number, hash: row.block_hash as Hex, at: Number(row.block_at) as UnixMs },
  }
}

const listOwn = {
  name: 'list-known-payments',
  text: `SELECT merchant, tx_hash, log_index, address, receipt_id, kind, source, token_address, amount, payer,
      state = 'orphaned' AS is_lost, false AS is_decided, block_number, block_hash, block_at
    FROM payment WHERE merchant = $1 AND chain = $2
      AND (tx_hash = ANY($3) OR (state = 'orphaned' AND log_index < 0 AND address = ANY($4)))`,
}

const listCases = {
  name: 'list-known-cases',
  text: `SELECT merchant, tx_hash, log_index, address, NULL AS receipt_id, kind, source, token_address, amount, payer,
      state = 'orphaned' AS is_lost,
      coalesce(lost_state, state) IN ('applied', 'refunded', 'kept') AS is_decided, block_number, block_hash, block_at
    FROM unmatched_payment WHERE merchant = $1 AND chain = $2
      AND (tx_hash = ANY($3) OR (state = 'orphaned' AND log_index < 0 AND address = ANY($4)))`,
}

// The whole key comes from the rows: with a part of it fixed, a plan may go through all of a merchant's money.
const losePayments = {
  name: 'lose-payments',
  text: `UPDATE payment SET state = 'orphaned',
      address = CASE WHEN payment.log_index < 0 THEN payment.address ELSE block_hash END
    FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[])
      AS gone (merchant, chain, tx_hash, log_index, address)
    WHERE payment.merchant = gone.merchant AND payment.chain = gone.chain AND payment.tx_hash = gone.tx_hash
      AND payment.log_index = gone.log_index AND payment.address = gone.address
      AND state <> 'orphaned' AND block_hash <> ALL($6)
    RETURNING payment.tx_hash, payment.log_index, payment.address`,
}

const loseClaims = {
  name: 'lose-log-claims',
  text: `UPDATE log_claim SET address = t.address
    FROM unnest($1::int8[], $2::text[], $3::int8[], $4::text[]) AS t (chain, tx_hash, log_index, address)
    WHERE log_claim.chain = t.chain AND log_claim.tx_hash = t.tx_hash AND log_claim.log_index = t.log_index
      AND log_claim.log_index >= 0 AND log_claim.address = ''`,
}

const loseCases = {
  name: 'lose-unmatched-payments',
  text: `UPDATE unmatched_payment AS u SET state = 'orphaned',
      lost_state = CASE state WHEN 'orphaned' THEN lost_state ELSE state END,
      address = CASE WHEN u.log_index < 0 THEN u.address ELSE block_hash END
    FROM unnest($1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[])
      AS gone (merchant, chain, tx_hash, log_index, address)
    WHERE u.merchant = gone.merchant AND u.chain = gone.chain AND u.tx_hash = gone.tx_hash
      AND u.log_index = gone.log_index AND u.address = gone.address AND block_hash <> ALL($6)`,
}

const movePayment = {
  name: 'move-payment',
  text: `UPDATE payment SET tx_hash = $6, log_index = $7, address = $8, block_number = $9, block_hash = $10,
      block_at = $11, accepted_at = NULL,
      state = CASE WHEN credited_at IS NOT NULL THEN 'credited' WHEN $12 THEN 'unmatched' ELSE 'seen' END
    WHERE merchant = $1 AND chain = $2 AND tx_hash = $3 AND log_index = $4 AND address = $5`,
}

const moveClaim = {
  name: 'move-log-claim',
  text: `UPDATE log_claim SET tx_hash = $5, log_index = $6, address = $7
    WHERE chain = $1 AND tx_hash = $2 AND log_index = $3 AND address = $4`,
}

const moveCase = {
  name: 'move-unmatched-payment',
  text: `UPDATE unmatched_payment SET tx_hash = $6, log_index = $7, address = $8, block_number = $9, block_hash = $10,
      block_at = $11,
      state = CASE WHEN $12 AND state = 'orphaned' THEN coalesce(lost_state, 'open') ELSE state END,
      lost_state = CASE WHEN $12 THEN NULL ELSE lost_state END
    WHERE merchant = $1 AND chain = $2 AND tx_hash = $3 AND log_index = $4 AND address = $5`,
}
