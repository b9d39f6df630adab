import type { TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import {
  bool,
  count,
  group,
  int8,
  named,
  numeric,
  optional,
  type Parts,
  text,
} from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import { storedToken } from '../attempts/store.ts'
import type { Worth } from './judge-payment.ts'
import { compareOnChain, isLive, isReversed, type OnChain, type Payment, type PaymentSum } from './payment.ts'
import { crowdOf, mostApart, type PaymentCrowd } from './payment-crowd.ts'
import type { ReceiptRef } from './place-store.ts'
import { paymentTable } from './store.ts'
import { paymentKey } from './stored.ts'

/** A receipt's payments: those that a look may tell apart, and the sums of all others that stand in the chain. */
export type ReceiptPayments = {
  /** In the order of the chain. The newest of those that stand in it is among them, and the newest credited one. */
  readonly payments: readonly Payment[]
  readonly rest: readonly PaymentSum[]
  /** The chain took back what had counted, and the receipt waits for it or for other money. */
  readonly hasReversed: boolean
  /** They are so few that all are told apart: there are no others, whatever became of them. */
  readonly areAll: boolean
  /**
   * Where more are sure enough than have their turn in one look: the last, in the order of the chain, whose turn it is.
   * What comes after it is judged later, so that the same are credited as if all were judged at once.
   */
  readonly turnEnd: OnChain | undefined
}

/** So many are always told apart. */
export const mostAlone = 1_000

/** So many of those that are sure enough have their turn in one look: no statement for all of them takes too long. */
export const mostInTurn = 5_000

/**
 * All that was ever seen for a receipt. Of very many payments, which anybody can send, only those are told apart that
 * something may happen to; to load all of them would take each look seconds, in a transaction that others wait for.
 *
 * @param asked.upTo - What was seen in blocks up to this one is told apart as far as it has its turn.
 */
export async function readPayments(
  db: Database,
  asked: ReceiptRef & { readonly upTo?: bigint },
): Promise<ReceiptPayments> {
  const { merchant, receiptId, upTo = -1n } = asked
  const some = await db.rows(listSome({ merchant, receiptId, limit: mostAlone + 1 }))
  if (some.length <= mostAlone) {
    const hasReversed = some.some(isReversed)
    return { payments: some.sort(compareOnChain), rest: [], hasReversed, areAll: true, turnEnd: undefined }
  }
  const [end, next] = await db.rows(findTurnEnd({ merchant, receiptId, upTo, before: mostInTurn - 1 }))
  const turnEnd = next && end
  const open = { merchant, receiptId, end: turnEnd ?? endOfBlock(upTo) }
  const payments = await db.rows(listOpen(open))
  const live = await db.row(newestOfRest({ ...open, states: ['seen', 'credited'] }))
  const credited =
    live?.state === 'seen' ? await db.row(newestOfRest({ ...open, states: ['credited'] })) : undefined
  const newest = [live ?? [], credited ?? []].flat()
  const sums = await db.rows(sumRest({ ...open, upTo }))
  const rest = sums.map((sum) => ({ ...sum, units: without(sum, newest, upTo) }))
  const hasReversed = (await db.row(findTakenBack({ merchant, receiptId }))) !== undefined
  return {
    payments: [...payments, ...newest].sort(compareOnChain),
    rest,
    hasReversed,
    areAll: false,
    turnEnd,
  }
}

/** Whether anything was ever seen for a receipt. */
export async function hasPayments(db: Database, { merchant, receiptId }: ReceiptRef): Promise<boolean> {
  return (await db.rows(listSome({ merchant, receiptId, limit: 1 }))).length > 0
}

/** All that stands in the chain, by its worth. */
export function listLive({ payments, rest }: ReceiptPayments): (Payment | PaymentSum)[] {
  return [...payments.filter(isLive), ...rest]
}

/**
 * What a receipt had been paid with and the chain took back, as far as nobody has accepted its loss, in the order of the
 * chain: summed by the database, however much it is.
 *
 * @param blocks - Of what stood in these alone.
 */
export async function readTakenBack(
  db: Database,
  { merchant, receiptId }: ReceiptRef,
  blocks?: readonly Hex[],
): Promise<PaymentCrowd> {
  const asked = { merchant, receiptId, blocks }
  const first = await db.rows(listFirst({ ...asked, limit: mostApart }))
  if (first.length < mostApart) return crowdOf(first)
  const groups = await db.rows(sumByToken(asked))
  const more = groups.flatMap(({ units, count, last }) => {
    const apart = first.filter(({ token }) => token.symbol === last.token.symbol)
    const apartUnits = apart.reduce((sum, payment) => sum + payment.units, 0n)
    return count > apart.length ? [{ last, units: units - apartUnits, count: count - apart.length }] : []
  })
  const last = [...first, ...more.map((group) => group.last)].sort(compareOnChain).at(-1)
  return { first, more, last }
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

/** After all that stands in blocks up to a height. */
function endOfBlock(number: bigint): OnChain {
  return { block: { number }, logIndex: Number.MAX_SAFE_INTEGER, txHash: '0x', address: '' }
}

function without(sum: PaymentSum, apart: readonly Payment[], upTo: bigint): TokenUnits {
  const isOfSum = ({ token, rate, state, isLate, block }: Payment) =>
    token.address === sum.token.address &&
    rate === sum.rate &&
    state === sum.state &&
    isLate === sum.isLate &&
    sum.isWaiting === (state === 'seen' && block.number <= upTo)
  return apart.filter(isOfSum).reduce((units, payment) => (units - payment.units) as TokenUnits, sum.units)
}

/** As `compareOnChain` has it, whatever the order of texts in the database: addresses are told apart by capitals too. */
const chainOrder = `block_number, log_index, tx_hash COLLATE "C", address COLLATE "C"`

const newestFirst = `block_number DESC, log_index DESC, tx_hash COLLATE "C" DESC, address COLLATE "C" DESC`

const isOpen = `(state = 'seen'
        AND (${chainOrder}) <= (:end.block.number::int8, :end.logIndex::int8, :end.txHash::text, :end.address::text))`

/** As `isReversed` has it. */
export const isTakenBack = `state = 'orphaned' AND credited_at IS NOT NULL AND accepted_at IS NULL`

const isOfReceipt = 'merchant = :merchant AND receipt_id = :receiptId'

const listSome = statement({
  name: 'list-some-payments',
  reads: paymentTable,
  text: `SELECT ${columnsOf(paymentTable)} FROM payment WHERE ${isOfReceipt} LIMIT :limit`,
})

const findTurnEnd = statement({
  name: 'find-end-of-turn',
  reads: { ...paymentKey, block: group({ number: named('block_number', int8()) }) } satisfies Parts<OnChain>,
  text: `SELECT tx_hash, log_index, address, block_number FROM payment
    WHERE ${isOfReceipt} AND state = 'seen' AND block_number <= :upTo
    ORDER BY ${chainOrder} LIMIT 2 OFFSET :before`,
})

const listOpen = statement({
  name: 'list-open-payments',
  reads: paymentTable,
  text: `SELECT ${columnsOf(paymentTable)} FROM payment WHERE ${isOfReceipt} AND ${isOpen}`,
})

const findTakenBack = statement({
  name: 'find-taken-back',
  reads: { txHash: text() },
  text: `SELECT tx_hash FROM payment WHERE ${isOfReceipt} AND ${isTakenBack} LIMIT 1`,
})

const newestOfRest = statement({
  name: 'find-newest-of-rest',
  reads: paymentTable,
  text: `SELECT ${columnsOf(paymentTable)} FROM payment
    WHERE ${isOfReceipt} AND state = ANY(:states::text[]) AND NOT ${isOpen}
    ORDER BY ${newestFirst} LIMIT 1`,
})

const paymentSum: Parts<PaymentSum> = {
  token: storedToken,
  units: named('amount', numeric()),
  rate: named('rate_e8', numeric()),
  isLate: bool(),
  state: text(),
  isWaiting: bool(),
}

const sumRest = statement({
  name: 'sum-rest-of-payments',
  reads: paymentSum,
  text: `SELECT token, token_address, rate_e8, is_late, state, state = 'seen' AND block_number <= :upTo AS is_waiting,
      sum(amount) AS amount
    FROM payment WHERE ${isOfReceipt} AND state IN ('seen', 'credited') AND NOT ${isOpen}
    GROUP BY token, token_address, rate_e8, is_late, state, is_waiting`,
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
    ORDER BY ${newestFirst} LIMIT 1`,
})

const isAsked = `${isOfReceipt} AND ${isTakenBack} AND (:blocks::text[] IS NULL OR block_hash = ANY(:blocks::text[]))`

const listFirst = statement({
  name: 'list-first-taken-back',
  reads: paymentTable,
  text: `SELECT ${columnsOf(paymentTable)} FROM payment WHERE ${isAsked} ORDER BY ${chainOrder} LIMIT :limit`,
})

const sumByToken = statement({
  name: 'sum-taken-back',
  reads: { last: paymentTable, units: named('sum_units', numeric()), count: named('group_count', count()) },
  text: `SELECT DISTINCT ON (token) ${columnsOf(paymentTable)}, sum(amount) OVER (PARTITION BY token) AS sum_units,
      count(amount) OVER (PARTITION BY token) AS group_count
    FROM payment WHERE ${isAsked}
    ORDER BY token, ${newestFirst}`,
})
