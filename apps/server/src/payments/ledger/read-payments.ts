import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { bool, named, numeric, optional, type Parts, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import { storedToken } from '../attempts/store.ts'
import type { Worth } from './judge-payment.ts'
import { compareOnChain, isLive, type Payment, type PaymentSum } from './payment.ts'
import type { ReceiptRef } from './place-store.ts'
import { paymentTable } from './store.ts'

/** A receipt's payments: those that a look may tell apart, and the sums of all others that stand in the chain. */
export type ReceiptPayments = {
  /** In the order of the chain. The newest of those that stand in it is among them, and the newest credited one. */
  readonly payments: readonly Payment[]
  readonly rest: readonly PaymentSum[]
  /** They are so few that all are told apart: there are no others, whatever became of them. */
  readonly areAll: boolean
}

/** So many are always told apart. */
const mostAlone = 1_000

/**
 * All that was ever seen for a receipt. Of very many payments, which anybody can send, only those are told apart that
 * something may happen to; to load all of them would take each look seconds, in a transaction that others wait for.
 *
 * @param asked.upTo - What was seen in blocks up to this one is told apart, as is what the chain took back.
 * @param asked.txHashes - So are the payments of these transactions.
 */
export async function readPayments(
  db: Database,
  asked: ReceiptRef & { readonly upTo?: bigint; readonly txHashes?: readonly Hex[] },
): Promise<ReceiptPayments> {
  const { merchant, receiptId, upTo = -1n, txHashes = [] } = asked
  const some = await db.rows(listSome({ merchant, receiptId, limit: mostAlone + 1 }))
  if (some.length <= mostAlone) return { payments: some.sort(compareOnChain), rest: [], areAll: true }
  const open = { merchant, receiptId, upTo, txHashes }
  const payments = await db.rows(listOpen(open))
  const live = await db.row(newestOfRest({ ...open, states: ['seen', 'credited'] }))
  const credited =
    live?.state === 'seen' ? await db.row(newestOfRest({ ...open, states: ['credited'] })) : undefined
  const newest = [live ?? [], credited ?? []].flat()
  const sums = await db.rows(sumRest(open))
  const rest = sums.map((sum) => ({ ...sum, units: without(sum, newest) }))
  return { payments: [...payments, ...newest].sort(compareOnChain), rest, areAll: false }
}

/** All that stands in the chain, by its worth. */
export function listLive({ payments, rest }: ReceiptPayments): (Payment | PaymentSum)[] {
  return [...payments.filter(isLive), ...rest]
}

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

function without(sum: PaymentSum, apart: readonly Payment[]): TokenUnits {
  const isOfSum = ({ token, rate, state, isLate }: Payment) =>
    token.address === sum.token.address && rate === sum.rate && state === sum.state && isLate === sum.isLate
  return apart.filter(isOfSum).reduce((units, payment) => (units - payment.units) as TokenUnits, sum.units)
}

const isOpen = `((state = 'seen' AND block_number <= :upTo) OR tx_hash = ANY(:txHashes::text[])
      OR (state = 'orphaned' AND credited_at IS NOT NULL AND accepted_at IS NULL))`

const isOfReceipt = 'merchant = :merchant AND receipt_id = :receiptId'

const listSome = statement({
  name: 'list-some-payments',
  reads: paymentTable,
  text: `SELECT ${columnsOf(paymentTable)} FROM payment WHERE ${isOfReceipt} LIMIT :limit`,
})

const listOpen = statement({
  name: 'list-open-payments',
  reads: paymentTable,
  text: `SELECT ${columnsOf(paymentTable)} FROM payment WHERE ${isOfReceipt} AND ${isOpen}`,
})

const newestOfRest = statement({
  name: 'find-newest-of-rest',
  reads: paymentTable,
  text: `SELECT ${columnsOf(paymentTable)} FROM payment
    WHERE ${isOfReceipt} AND state = ANY(:states::text[]) AND NOT ${isOpen}
    ORDER BY block_number DESC, log_index DESC, tx_hash DESC LIMIT 1`,
})

const paymentSum: Parts<PaymentSum> = {
  token: storedToken,
  units: named('amount', numeric()),
  rate: named('rate_e8', numeric()),
  isLate: bool(),
  state: text(),
}

const sumRest = statement({
  name: 'sum-rest-of-payments',
  reads: paymentSum,
  text: `SELECT token, token_address, rate_e8, is_late, state, sum(amount) AS amount FROM payment
    WHERE ${isOfReceipt} AND state IN ('seen', 'credited') AND NOT ${isOpen}
    GROUP BY token, token_address, rate_e8, is_late, state`,
})

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
