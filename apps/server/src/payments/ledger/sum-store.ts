import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { named, numeric, optional, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { storedToken } from '../attempts/store.ts'
import type { Worth } from './judge-payment.ts'

/** What of a receipt's money stands in the chain, summed by token and rate: few rows for any number of payments. */
export async function sumLivePayments(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<Worth[]> {
  return db.rows(sum({ merchant, receiptId }))
}

/** The newest payment of a receipt that stands in the chain. */
export async function findNewestPayment(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<{ txHash: Hex; payer: Wallet | undefined } | undefined> {
  return db.row(newest({ merchant, receiptId }))
}

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
    ORDER BY block_number DESC, log_index DESC, tx_hash DESC LIMIT 1`,
})
