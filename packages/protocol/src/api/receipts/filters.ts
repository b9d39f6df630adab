import { type Static, Type } from 'typebox'
import { displayStatuses, listedStatuses } from '../../receipt-status.ts'
import { maxUnixMs } from '../../time.ts'
import { degradedFields, pageCursor, pageLimit, queryValue } from '../documented.ts'
import { displayFilter } from './display-status.ts'

const moment = (description: string) =>
  queryValue(Type.Integer({ minimum: 0, maximum: maxUnixMs, description }), { maxLength: 24 })
const amount = (description: string) =>
  queryValue(Type.Number({ minimum: 0, maximum: 1_000_000_000, description }), { maxLength: 64 })

export const receiptFilters = {
  status: queryValue(
    Type.String({
      description: `One or several, separated by commas: ${listedStatuses.join(', ')}. \`cancelled\` finds what was cancelled and is not paid; its \`status\` does not find it.`,
    }),
    { maxLength: 255 },
  ),
  from: moment('Created at this time or later, Unix milliseconds.'),
  to: moment('Created before this time, Unix milliseconds.'),
  q: queryValue(
    Type.String({
      maxLength: 255,
      description:
        'A receipt id or its beginning, the hash of a payment or at least six digits of its beginning, an e-mail address, a `transactionId`, or a value of the metadata.',
    }),
    { maxLength: 255 },
  ),
  currency: queryValue(Type.Enum(['USD', 'EUR'], { description: "The receipt's own currency." }), {
    maxLength: 16,
  }),
  min: amount('The smallest total: in `currency`, or, without it, in US dollars.'),
  max: amount('The largest total: in `currency`, or, without it, in US dollars.'),
}

/** Sort orders. `amount` is the total in US dollars. */
export const receiptSorts = ['-createdAt', 'createdAt', '-amount', 'amount'] as const

export const listReceiptsQuery = Type.Object({
  ...receiptFilters,
  ...displayFilter,
  sort: queryValue(
    Type.Enum(receiptSorts, {
      default: '-createdAt',
      description: 'The order; descending with `-`. `amount` is the total in US dollars.',
    }),
    { maxLength: 16 },
  ),
  limit: pageLimit,
  cursor: pageCursor,
})

export const exportReceiptsQuery = Type.Object({
  ...receiptFilters,
  ...displayFilter,
  sort: listReceiptsQuery.properties.sort,
})

export type ExportReceiptsQuery = Static<typeof exportReceiptsQuery>

/** Query of GET /api/payments/export. Filters by block time. */
export const exportPaymentsQuery = Type.Object({
  from: moment('In a block of this time or later, Unix milliseconds.'),
  to: moment('In a block before this time, Unix milliseconds.'),
})

export type ExportPaymentsQuery = Static<typeof exportPaymentsQuery>

const filters = Type.Object(receiptFilters)

export type ReceiptFilterQuery = Static<typeof filters>
export type ListReceiptsQuery = Static<typeof listReceiptsQuery>

export const seriesIntervals = ['hour', 'day', 'week', 'month'] as const

export const maxSeriesPoints = 400

export const receiptSummaryQuery = Type.Object({
  ...receiptFilters,
  interval: queryValue(
    Type.Enum(seriesIntervals, { description: 'Adds `series`, with one point for each of these.' }),
    { maxLength: 16 },
  ),
  timezone: queryValue(
    Type.String({ default: 'UTC', description: 'The IANA time zone in which days, weeks and months begin.' }),
    { maxLength: 64 },
  ),
})

export type ReceiptSummaryQuery = Static<typeof receiptSummaryQuery>

const count = Type.Integer({ minimum: 0 })

export const receiptSummary = Type.Object({
  count: Type.Integer({ minimum: 0, description: 'Number of receipts that match the filter.' }),
  byStatus: Type.Object(Object.fromEntries(listedStatuses.map((status) => [status, count])), {
    description:
      'Number of receipts for each status. Cancelled receipts that are not paid count only as cancelled. The filter `status` does not apply here.',
  }),
  byDisplayStatus: Type.Object(Object.fromEntries(displayStatuses.map((status) => [status, count])), {
    description:
      'The same receipts by `displayStatus`. Of more than 20,000 that expired, that were stopped, or whose money does not match, the others count as their status.',
  }),
  totals: Type.Array(
    Type.Object({
      currency: Type.Enum(['USD', 'EUR']),
      count,
      total: Type.Number({ description: 'All totals.' }),
      paid: Type.Number({ description: 'The totals of what was paid, also where it was refunded later.' }),
      awaiting: Type.Number({
        description: 'The totals of what is `generated` or `pending`, and neither cancelled nor expired.',
      }),
      refunded: Type.Number({ description: 'Total of confirmed refunds.' }),
      fees: Type.Number({
        description: 'The processing fees of what was paid, which customers paid on top.',
      }),
    }),
    { description: 'In the currency of the receipts; only currencies that occur.' },
  ),
  series: Type.Optional(
    Type.Array(
      Type.Object({
        from: Type.Integer({ description: 'When the point begins, Unix milliseconds.' }),
        count,
        paidCount: count,
        paidUsd: Type.Number(),
      }),
      { maxItems: maxSeriesPoints },
    ),
  ),
  countedFrom: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Receipts created before this time are not counted, because there are too many. Null if all are counted.',
  }),
  ...degradedFields,
})

export type ReceiptSummary = Static<typeof receiptSummary>
