import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../chain/chain.ts'
import type { Database } from '../platform/database.ts'

/** Money of one token that came to deposit addresses of one receipt and is not known to be swept. */
export type UnsweptDeposit = {
  readonly merchant: Wallet
  readonly receiptId: string
  readonly token: Wallet
  /** Of the newest of it. */
  readonly blockNumber: bigint
}

/** One deposit address of a receipt, as the factory's sweep names it. */
export type SweepTarget = { readonly split: Wallet; readonly reference: Hex }

/** What may have to be swept, oldest first: credited payments, and money that no receipt explains. */
export async function listUnswept(db: Database, chain: number, limit: number): Promise<UnsweptDeposit[]> {
  const rows = await db.rows<UnsweptRow>(unswept, [chain, limit])
  return rows.map((row) => ({
    merchant: row.merchant as Wallet,
    receiptId: row.receipt_id,
    token: row.token_address as Wallet,
    blockNumber: row.block_number,
  }))
}

/** The deposit addresses a receipt ever had. */
export async function listSweepTargets(
  db: Database,
  merchant: Wallet,
  receiptId: string,
): Promise<SweepTarget[]> {
  const rows = await db.rows<{ split_address: string; reference: string }>(targets, [merchant, receiptId])
  return rows.map((row) => ({ split: row.split_address as Wallet, reference: row.reference as Hex }))
}

/**
 * Notes that of a receipt's deposits in a token nothing was left at the end of block `at`, with the newest
 * sweep in the books.
 */
export async function markSwept(
  db: Database,
  chain: number,
  deposit: Omit<UnsweptDeposit, 'blockNumber'>,
  at: bigint,
): Promise<void> {
  const values = [deposit.merchant, chain, deposit.receiptId, deposit.token, at]
  await db.transaction(async (tx) => {
    const sweep = await tx.row<{ tx_hash: string }>(newestSweep, values)
    await tx.run(markPayments, [...values, sweep?.tx_hash ?? 'none'])
    await tx.run(markUnmatched, [...values, sweep?.tx_hash ?? 'none'])
  })
}

/** Forgets sweeps that the chain has lost: what they moved is at the deposit addresses again. */
export async function forgetSweeps(
  tx: Database,
  merchant: Wallet,
  chain: number,
  sweeps: readonly Hex[],
): Promise<void> {
  if (sweeps.length === 0) return
  await tx.run(forgetPayments, [merchant, chain, sweeps])
  await tx.run(forgetUnmatched, [merchant, chain, sweeps])
}

type UnsweptRow = { merchant: string; receipt_id: string; token_address: string; block_number: bigint }

const unswept = {
  name: 'list-unswept-deposits',
  text: `SELECT merchant, receipt_id, token_address, max(block_number) AS block_number FROM (
      SELECT merchant, receipt_id, token_address, block_number FROM payment
      WHERE chain = $1 AND swept_tx IS NULL AND kind <> 'call' AND state IN ('credited', 'unmatched')
      UNION ALL
      SELECT merchant, receipt_id, token_address, block_number FROM unmatched_payment
      WHERE chain = $1 AND swept_tx IS NULL AND receipt_id IS NOT NULL AND state <> 'orphaned'
    ) AS deposit
    GROUP BY merchant, receipt_id, token_address ORDER BY min(block_number) LIMIT $2`,
}

const targets = {
  name: 'list-sweep-targets',
  text: `SELECT split_address, reference FROM attempt WHERE merchant = $1 AND receipt_id = $2`,
}

const newestSweep = {
  name: 'find-newest-sweep',
  text: `SELECT tx_hash FROM split_arrival
    WHERE merchant = $1 AND chain = $2 AND receipt_id = $3 AND token_address = $4 AND block_number <= $5
      AND kind = 'sweep' AND orphaned_at IS NULL
    ORDER BY block_number DESC, log_index DESC LIMIT 1`,
}

const markPayments = {
  name: 'mark-payments-swept',
  text: `UPDATE payment SET swept_tx = $6
    WHERE merchant = $1 AND chain = $2 AND receipt_id = $3 AND token_address = $4 AND block_number <= $5
      AND swept_tx IS NULL AND kind <> 'call' AND state IN ('credited', 'unmatched')`,
}

const markUnmatched = {
  name: 'mark-unmatched-swept',
  text: `UPDATE unmatched_payment SET swept_tx = $6
    WHERE merchant = $1 AND chain = $2 AND receipt_id = $3 AND token_address = $4 AND block_number <= $5
      AND swept_tx IS NULL AND state <> 'orphaned'`,
}

const forgetPayments = {
  name: 'forget-payment-sweeps',
  text: `UPDATE payment SET swept_tx = NULL WHERE merchant = $1 AND chain = $2 AND swept_tx = ANY($3)`,
}

const forgetUnmatched = {
  name: 'forget-unmatched-sweeps',
  text: `UPDATE unmatched_payment SET swept_tx = NULL WHERE merchant = $1 AND chain = $2 AND swept_tx = ANY($3)`,
}
