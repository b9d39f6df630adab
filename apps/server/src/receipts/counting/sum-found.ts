import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, numeric, optional, text } from '../../platform/database/columns.ts'
import { statement } from '../../platform/database/statement.ts'
import { bind, type FindingNeeds, isForeign } from '../finding/find-places.ts'
import {
  asked,
  foundByAmount,
  foundByNativeAmount,
  foundByText,
  isFound,
  passes,
} from '../finding/place-columns.ts'
import type { ReceiptFilter } from '../finding/receipt-filter.ts'
import type { Currency } from '../receipt.ts'
import { storedListedStatus } from '../table.ts'
import { amounts, type Counted, type Counts, sums } from './sum-all.ts'

const room = 20_000

/**
 * Counts receipts that a text or an amount selects, which no summing index covers. Counts all if an index
 * yields few candidates, otherwise only among the newest.
 */
export async function sumFound(
  needs: FindingNeeds,
  merchant: Wallet,
  filter: ReceiptFilter,
  bounds: readonly number[],
): Promise<Counted> {
  const wanted = { merchant, ...bind(needs, filter), bounds, room }
  for (const sum of narrowing(filter)) {
    const rows = await needs.db.rows(sum(wanted))
    if ((rows[0]?.candidates ?? 0n) < BigInt(room)) return { allCounts: allCountsOf(rows), countedFrom: null }
  }
  const rows = await needs.db.rows(sumNewest(wanted))
  const { candidates = 0n, oldest } = rows[0] ?? {}
  const isAll = candidates < BigInt(room)
  return { allCounts: allCountsOf(rows), countedFrom: isAll || oldest === undefined ? null : oldest + 1 }
}

function narrowing({ text, currency, min, max }: ReceiptFilter) {
  const hasAmount = min !== undefined || max !== undefined
  const byAmount = isForeign(currency) ? sumNativeAmount : sumAmount
  return [...(text === undefined ? [] : [sumText]), ...(hasAmount ? [byAmount] : [])]
}

type Found = { readonly [Property in keyof Counts]: Counts[Property] | undefined }

function allCountsOf(rows: readonly Found[]): Counts[] {
  return rows.filter((row): row is Counts => row.point !== undefined)
}

const sumOf = <const Candidates extends string, const Rows extends string>(
  candidates: Candidates,
  rows: Rows,
) =>
  `WITH candidate AS MATERIALIZED (${candidates}),
  looked AS (SELECT count(*) AS candidates, min(created_at) AS oldest FROM candidate)
  SELECT looked.candidates, looked.oldest, summed.* FROM looked LEFT JOIN (
    SELECT width_bucket(created_at, :bounds::int8[])::int8 AS point, currency, status, ${sums}
    FROM (SELECT r.created_at, r.currency, r.standing AS status, ${amounts} FROM ${rows} AND ${passes}) AS passed
    GROUP BY 1, 2, 3) AS summed ON true` as const

/**
 * SQL that reads candidates by key, and none if the candidates are incomplete. `OFFSET 0` prevents a plain
 * join, for which PostgreSQL may scan the candidates once per receipt.
 */
const ofCandidates = `(SELECT whole.* FROM candidate CROSS JOIN LATERAL (SELECT * FROM receipt
    WHERE merchant = :merchant AND id = candidate.id AND (SELECT candidates FROM looked) < :room::int8
    OFFSET 0) AS whole) AS r WHERE true` as const

const newest = `SELECT ${asked('receipt')}, fee_cents FROM receipt
  WHERE merchant = :merchant AND created_at >= :from AND created_at < :to
  ORDER BY created_at DESC, id DESC LIMIT :room` as const

const found = {
  candidates: numeric(),
  oldest: optional(count()),
  point: optional(count()),
  currency: optional(text<Currency>()),
  status: optional(storedListedStatus()),
  receipts: optional(numeric()),
  totalCents: optional(numeric()),
  nativeCents: optional(numeric()),
  feeCents: optional(numeric()),
  refundedCents: optional(numeric()),
}

const sumText = statement({
  name: 'sum-receipts-of-text',
  text: sumOf(foundByText, ofCandidates),
  reads: found,
})

const sumAmount = statement({
  name: 'sum-receipts-of-amount',
  text: sumOf(foundByAmount, ofCandidates),
  reads: found,
})

const sumNativeAmount = statement({
  name: 'sum-receipts-of-native-amount',
  text: sumOf(foundByNativeAmount, ofCandidates),
  reads: found,
})

const sumNewest = statement({
  name: 'sum-newest-receipts',
  text: sumOf(
    newest,
    `candidate AS r WHERE ((SELECT candidates FROM looked) < :room::int8 OR r.created_at > (SELECT oldest FROM looked)) AND ${isFound}`,
  ),
  reads: found,
})
