import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bool, int8, json, optional, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Payment } from '../ledger/payment.ts'
import type { ArrivedMoney, PaidMoney } from './evaluate-funds.ts'

/** Assigns an unmatched payment to the receipt that it was applied to. */
export async function rehomePayment(tx: Database, chain: number, payment: Payment): Promise<void> {
  const { merchant, txHash, logIndex, address, receiptId, attemptId, rate, isLate } = payment
  await tx.run(rehome({ merchant, chain, txHash, logIndex, address, receiptId, attemptId, rate, isLate }))
}

export async function givePlace(tx: Database, chain: number, payment: Payment): Promise<void> {
  const { merchant, txHash, logIndex, address, receiptId } = payment
  await tx.run(markApplied({ merchant, chain, txHash, logIndex, address }))
  await tx.run(movePlace({ chain, txHash, logIndex, address, merchant, receiptId }))
}

/**
 * Returns the payments applied to a receipt, and the split arrivals that carried them.
 *
 * An arrival can belong to another receipt, or to no receipt.
 */
export async function listAppliedMoney(
  db: Database,
  chain: number,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<{ paid: PaidMoney[]; arrived: ArrivedMoney[] }> {
  const rows = await db.rows(listApplied({ merchant, chain, receiptId }))
  const money = rows.map((row) => ({
    row,
    place: `${row.txHash}/${row.logIndex}/${row.address}`,
    source: 'applied',
    units: row.amount,
  }))
  return {
    paid: money.map(({ row, ...rest }) => ({
      ...rest,
      isCredited: row.state === 'credited',
      isCall: true,
      blockNumber: row.blockNumber,
    })),
    arrived: money.flatMap(({ row, ...rest }) =>
      row.arrived ? [{ ...rest, isSweep: false, settledBy: row.distributedTx, held: row.held }] : [],
    ),
  }
}

const rehome = statement({
  name: 'rehome-payment',
  text: `UPDATE payment SET receipt_id = :receiptId, attempt_id = :attemptId, rate_e8 = :rate, is_late = :isLate,
    state = 'seen'
    WHERE merchant = :merchant AND chain = :chain AND tx_hash = :txHash AND log_index = :logIndex
      AND address = :address`,
})

const markApplied = statement({
  name: 'mark-payment-applied',
  text: `UPDATE payment SET swept_tx = 'applied'
    WHERE merchant = :merchant AND chain = :chain AND tx_hash = :txHash AND log_index = :logIndex
      AND address = :address`,
})

const movePlace = statement({
  name: 'move-payment-block-receipt',
  text: `UPDATE payment_block SET receipt_id = :receiptId
    WHERE chain = :chain AND tx_hash = :txHash AND log_index = :logIndex AND address = :address
      AND merchant = :merchant`,
})

const listApplied = statement({
  name: 'list-applied-money',
  reads: {
    txHash: text(),
    logIndex: int8(),
    address: text(),
    amount: int8(),
    blockNumber: int8(),
    state: text(),
    arrived: optional(bool()),
    distributedTx: optional(text()),
    held: optional(json<Record<string, string>>()),
  },
  text: `SELECT p.tx_hash, p.log_index, p.address, p.amount, p.block_number, p.state,
      carrier.arrived, carrier.distributed_tx, carrier.held
    FROM payment p
    JOIN unmatched_payment u ON u.merchant = :merchant AND u.chain = :chain AND u.tx_hash = p.tx_hash
      AND u.log_index = p.log_index AND u.address = p.address
    LEFT JOIN LATERAL (
      SELECT true AS arrived, a.distributed_tx, a.held FROM split_arrival a
      WHERE a.merchant = :merchant AND a.chain = :chain AND a.orphaned_at IS NULL AND a.token_address = p.token_address
        AND ((a.tx_hash = p.tx_hash AND a.log_index = p.log_index)
          OR (p.kind <> 'call' AND a.kind = 'sweep' AND a.tx_hash = u.swept_tx AND a.receipt_id = u.receipt_id))
      ORDER BY a.log_index DESC LIMIT 1
    ) AS carrier ON true
    WHERE p.merchant = :merchant AND p.chain = :chain AND p.receipt_id = :receiptId AND p.swept_tx = 'applied'
      AND p.state <> 'orphaned'`,
})
