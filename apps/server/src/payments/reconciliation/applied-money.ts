import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Payment } from '../ledger/payment.ts'
import type { ArrivedMoney, PaidMoney } from './judge-funds.ts'

/**
 * Makes a payment that was left unmatched the receipt's it is applied to. The way it came stays; what empties
 * its deposit address is noted in the inbox, not here.
 */
export async function rehomePayment(tx: Database, chain: number, payment: Payment): Promise<void> {
  const { merchant, txHash, logIndex, address, receiptId, attemptId, rate, isLate } = payment
  await tx.run(rehome, [merchant, chain, txHash, logIndex, address, receiptId, attemptId, rate, isLate])
}

/** Marks a payment as applied from the inbox, and has a reorg of its block told to its new receipt. */
export async function givePlace(tx: Database, chain: number, payment: Payment): Promise<void> {
  const { merchant, txHash, logIndex, address, receiptId } = payment
  await tx.run(markApplied, [merchant, chain, txHash, logIndex, address])
  await tx.run(movePlace, [chain, txHash, logIndex, address, merchant, receiptId])
}

/**
 * The money that was applied to a receipt, as paid and, where it reached a split by now, as arrived: each with
 * the arrival that carried it, be it under another receipt or under none.
 */
export async function listAppliedMoney(
  db: Database,
  chain: number,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<{ paid: PaidMoney[]; arrived: ArrivedMoney[] }> {
  const rows = await db.rows<AppliedRow>(listApplied, [merchant, chain, receiptId])
  const money = rows.map((row) => ({
    row,
    place: `${row.tx_hash}/${row.log_index}/${row.address}`,
    source: 'applied',
    units: row.amount,
  }))
  return {
    paid: money.map(({ row, ...rest }) => ({
      ...rest,
      isCredited: row.state === 'credited',
      isCall: true,
      blockNumber: row.block_number,
    })),
    arrived: money.flatMap(({ row, ...rest }) =>
      row.arrived
        ? [
            {
              ...rest,
              isSweep: false,
              settledBy: row.distributed_tx ?? undefined,
              held: row.held ?? undefined,
            },
          ]
        : [],
    ),
  }
}

type AppliedRow = {
  tx_hash: string
  log_index: bigint
  address: string
  amount: bigint
  block_number: bigint
  state: string
  arrived: boolean | null
  distributed_tx: string | null
  held: Record<string, string> | null
}

const rehome = {
  name: 'rehome-payment',
  text: `UPDATE payment SET receipt_id = $6, attempt_id = $7, rate_e8 = $8, is_late = $9, state = 'seen'
    WHERE merchant = $1 AND chain = $2 AND tx_hash = $3 AND log_index = $4 AND address = $5`,
}

const markApplied = {
  name: 'mark-payment-applied',
  text: `UPDATE payment SET swept_tx = 'applied'
    WHERE merchant = $1 AND chain = $2 AND tx_hash = $3 AND log_index = $4 AND address = $5`,
}

const movePlace = {
  name: 'move-payment-block-receipt',
  text: `UPDATE payment_block SET receipt_id = $6
    WHERE chain = $1 AND tx_hash = $2 AND log_index = $3 AND address = $4 AND merchant = $5`,
}

const listApplied = {
  name: 'list-applied-money',
  text: `SELECT p.tx_hash, p.log_index, p.address, p.amount, p.block_number, p.state,
      carrier.arrived, carrier.distributed_tx, carrier.held
    FROM payment p
    JOIN unmatched_payment u ON u.merchant = $1 AND u.chain = $2 AND u.tx_hash = p.tx_hash
      AND u.log_index = p.log_index AND u.address = p.address
    LEFT JOIN LATERAL (
      SELECT true AS arrived, a.distributed_tx, a.held FROM split_arrival a
      WHERE a.merchant = $1 AND a.chain = $2 AND a.orphaned_at IS NULL AND a.token_address = p.token_address
        AND ((a.kind <> 'sweep' AND a.tx_hash = p.tx_hash AND a.log_index = p.log_index)
          OR (p.kind <> 'call' AND a.kind = 'sweep' AND a.tx_hash = u.swept_tx AND a.receipt_id = u.receipt_id))
      ORDER BY a.log_index DESC LIMIT 1
    ) AS carrier ON true
    WHERE p.merchant = $1 AND p.chain = $2 AND p.receipt_id = $3 AND p.swept_tx = 'applied'
      AND p.state <> 'orphaned'`,
}
