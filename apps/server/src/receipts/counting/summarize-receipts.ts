import type { ReceiptSummary, ReceiptSummaryQuery } from '@sluice/protocol/api/receipts/filters.ts'
import { type Cents, writeCents } from '@sluice/protocol/money.ts'
import {
  type DisplayStatus,
  displayStatuses,
  isPaidLike,
  type ListedStatus,
  listedStatuses,
} from '@sluice/protocol/receipt-status.ts'
import { maxUnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FindingNeeds } from '../finding/find-places.ts'
import { currencies, parseFilter, type ReceiptFilter } from '../finding/receipt-filter.ts'
import { countDisplayed, type Displayed } from './count-displayed.ts'
import { parseSeries, pointsOf, type SeriesRequest } from './series-points.ts'
import { type Counted as Counts, findFirstTime, type Counts as StatusCounts, sumAll } from './sum-all.ts'
import { sumFound } from './sum-found.ts'

/**
 * Returns counts and totals of the receipts that match a filter.
 *
 * @throws {ApiError} `invalid_input` for an invalid query or a series with too many points.
 */
export async function summarizeReceipts(
  needs: FindingNeeds & { clock: Clock },
  merchant: Wallet,
  query: ReceiptSummaryQuery,
): Promise<ReceiptSummary> {
  const filter = parseFilter(query)
  const series = parseSeries(query)
  const begins = series ? await beginsOf(needs, merchant, filter, series) : []
  const { from, to } = filter
  const bounds = [...new Set([from, ...begins.filter((begin) => begin > from && begin < to), to])]
  const [{ allCounts, countedFrom }, displayed] = await Promise.all([
    count(needs, merchant, filter, bounds),
    countDisplayed(needs, merchant, { ...filter, statuses: undefined }),
  ])
  const asked = allCounts.filter(({ currency, status }) => {
    const isOfStatus = filter.statuses?.includes(status) ?? true
    return isOfStatus && (filter.currency ?? currency) === currency
  })
  const ofCurrency = allCounts.filter(({ currency }) => (filter.currency ?? currency) === currency)
  return {
    count: add(asked, 'receipts'),
    byStatus: Object.fromEntries(
      listedStatuses.map((status) => [status, add(ofCurrency.filter(is(status)), 'receipts')]),
    ),
    byDisplayStatus: Object.fromEntries(
      displayStatuses.map((status) => [status, countAs(status, ofCurrency, displayed)]),
    ),
    totals: currencies
      .map((currency) =>
        totalsOf(
          currency,
          asked.filter((counts) => counts.currency === currency),
          displayed.filter(
            (each) =>
              each.currency === currency &&
              each.display === 'expired' &&
              (filter.statuses?.includes(each.status) ?? true),
          ),
        ),
      )
      .filter((totals) => totals.count > 0),
    ...(series && { series: viewSeries(begins, bounds, asked) }),
    countedFrom,
  }
}

async function count(
  needs: FindingNeeds,
  merchant: Wallet,
  filter: ReceiptFilter,
  bounds: readonly number[],
): Promise<Counts> {
  const { text, min, max } = filter
  const isFound = [text, min, max].some((each) => each !== undefined)
  return (isFound ? sumFound : sumAll)(needs, merchant, { ...filter, statuses: undefined }, bounds)
}

async function beginsOf(
  { db, clock }: FindingNeeds & { clock: Clock },
  merchant: Wallet,
  { from, to }: ReceiptFilter,
  series: SeriesRequest,
): Promise<number[]> {
  const end = to === maxUnixMs ? clock.now() + 1 : to
  const begin = from === 0 ? Math.max(0, (await findFirstTime(db, merchant)) ?? end) : from
  return begin < end ? pointsOf(series, begin, end) : []
}

/** @param bounds - Bounds of the counted intervals: `begins`, clipped to the filter's range. */
function viewSeries(
  begins: readonly number[],
  bounds: readonly number[],
  allCounts: readonly StatusCounts[],
) {
  return begins.slice(0, -1).map((from, at) => {
    const end = begins[at + 1] ?? 0
    const inside = allCounts.filter(({ point }) => {
      const bound = bounds[point - 1] ?? 0
      return bound >= from && bound < end
    })
    const paid = inside.filter(({ status }) => isPaid(status))
    return {
      from,
      count: add(inside, 'receipts'),
      paidCount: add(paid, 'receipts'),
      paidUsd: cents(paid, 'totalCents'),
    }
  })
}

/** Clamps at zero, because receipts can change between the two counts. */
function countAs(
  status: DisplayStatus,
  allCounts: readonly StatusCounts[],
  displayed: readonly Displayed[],
): number {
  const own = add(
    allCounts.filter((counts) => counts.status === status),
    'receipts',
  )
  const left = add(
    displayed.filter((each) => each.status === status),
    'receipts',
  )
  const came = add(
    displayed.filter((each) => each.display === status),
    'receipts',
  )
  return Math.max(0, own - left) + came
}

function totalsOf(
  currency: StatusCounts['currency'],
  allCounts: readonly StatusCounts[],
  expired: readonly Displayed[],
) {
  const paid = allCounts.filter(({ status }) => isPaid(status))
  const awaiting = allCounts.filter(({ status }) => status === 'generated' || status === 'pending')
  return {
    currency,
    count: add(allCounts, 'receipts'),
    total: cents(allCounts, 'nativeCents'),
    paid: cents(paid, 'nativeCents'),
    awaiting: lessCents(sum(awaiting, 'nativeCents'), sum(expired, 'nativeCents')),
    refunded: cents(allCounts, 'refundedCents'),
    fees: cents(paid, 'feeCents'),
  }
}

type Amount = 'receipts' | 'totalCents' | 'nativeCents' | 'feeCents' | 'refundedCents'

type Counted<Name extends Amount> = readonly { readonly [Each in Name]: bigint }[]

function sum<Name extends Amount>(allCounts: Counted<Name>, amount: Name): bigint {
  return allCounts.reduce((total, counts) => total + counts[amount], 0n)
}

function add<Name extends Amount>(allCounts: Counted<Name>, amount: Name): number {
  return Number(sum(allCounts, amount))
}

function cents<Name extends Amount>(allCounts: Counted<Name>, amount: Name): number {
  return writeCents(sum(allCounts, amount) as Cents)
}

function lessCents(all: bigint, less: bigint): number {
  return writeCents((all > less ? all - less : 0n) as Cents)
}

function isPaid(standing: ListedStatus): boolean {
  return standing !== 'cancelled' && isPaidLike(standing)
}

function is(wanted: ListedStatus) {
  return ({ status }: StatusCounts) => status === wanted
}
