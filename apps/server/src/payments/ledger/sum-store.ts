import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { tokenOf } from '../attempts/store.ts'
import type { Worth } from './judge-payment.ts'

/** What of a receipt's money stands in the chain, summed by token and rate: few rows for any number of payments. */
export async function sumLivePayments(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<Worth[]> {
  const rows = await db.rows<SumRow>(sum, [merchant, receiptId])
  return rows.map((row) => ({
    token: tokenOf(row.token, row.token_address),
    units: row.amount as TokenUnits,
    rate: row.rate_e8 as RateE8,
  }))
}

/** The newest payment of a receipt that stands in the chain. */
export async function findNewestPayment(
  db: Database,
  merchant: Wallet,
  receiptId: ReceiptId,
): Promise<{ txHash: Hex; payer: Wallet | undefined } | undefined> {
  const row = await db.row<{ tx_hash: string; payer: string | null }>(newest, [merchant, receiptId])
  return row && { txHash: row.tx_hash as Hex, payer: (row.payer ?? undefined) as Wallet | undefined }
}

type SumRow = { token: string; token_address: string; rate_e8: bigint; amount: bigint }

const sum = {
  name: 'sum-live-payments',
  text: `SELECT token, token_address, rate_e8, sum(amount) AS amount FROM payment
    WHERE merchant = $1 AND receipt_id = $2 AND state IN ('seen', 'credited')
    GROUP BY token, token_address, rate_e8`,
}

const newest = {
  name: 'find-newest-payment',
  text: `SELECT tx_hash, payer FROM payment
    WHERE merchant = $1 AND receipt_id = $2 AND state IN ('seen', 'credited')
    ORDER BY block_number DESC, log_index DESC, tx_hash DESC LIMIT 1`,
}
