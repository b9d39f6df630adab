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
      description: `One or several, separated by commas: ${listedStatuses.join(', ')}. \`cancelled\` matches cancelled receipts that are not paid. Their own \`status\` does not match them.`,
    }),
    { maxLength: 255 },
  ),
  from: moment('Created at this time or later, Unix milliseconds.'),
  to: moment('Created before this time, Unix milliseconds.'),
  q: queryValue(
    Type.String({
      maxLength: 255,
      description:
        'A receipt id or its prefix, a payment hash or at least its first six digits, an email address, a `transactionId`, or a metadata value.',
    }),
    { maxLength: 255 },
  ),
  currency: queryValue(Type.Enum(['USD', 'EUR'], { description: "The receipt's own currency." }), {
    maxLength: 16,
  }),
  min: amount('The minimum total, in `currency`, or in US dollars by default.'),
  max: amount('The maximum total, in `currency`, or in US dollars by default.'),
}

export const receiptSorts = ['-createdAt', 'createdAt', '-amount', 'amount'] as const

export const listReceiptsQuery = Type.Object({
  ...receiptFilters,
  ...displayFilter,
  sort: queryValue(
    Type.Enum(receiptSorts, {
      default: '-createdAt',
      description: 'The sort order; `-` means descending. `amount` is the total in US dollars.',
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
    Type.Enum(seriesIntervals, { description: 'Adds `series` with one point per interval.' }),
    { maxLength: 16 },
  ),
  timezone: queryValue(
    Type.String({ default: 'UTC', description: 'The IANA time zone of days, weeks and months.' }),
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
      'Number of receipts for each `displayStatus`. If more than 20,000 receipts are expired, stopped, underpaid, overpaid or reversed, the rest count under their status.',
  }),
  totals: Type.Array(
    Type.Object({
      currency: Type.Enum(['USD', 'EUR']),
      count,
      total: Type.Number({ description: 'Total of all receipts.' }),
      paid: Type.Number({
        description: 'Total of paid receipts, including receipts that were refunded later.',
      }),
      awaiting: Type.Number({
        description: 'Total of receipts that are `generated` or `pending` and neither cancelled nor expired.',
      }),
      refunded: Type.Number({ description: 'Total of confirmed refunds.' }),
      fees: Type.Number({
        description: 'Processing fees that buyers paid on top of the totals.',
      }),
    }),
    { description: 'Totals by currency of the receipts.' },
  ),
  series: Type.Optional(
    Type.Array(
      Type.Object({
        from: Type.Integer({ description: 'Start of the interval, Unix milliseconds.' }),
        count,
        paidCount: count,
        paidUsd: Type.Number(),
      }),
      { maxItems: maxSeriesPoints },
    ),
  ),
  countedFrom: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Receipts created before this time are not counted because there are too many receipts. Null if all are counted.',
  }),
  ...degradedFields,
})

export type ReceiptSummary = Static<typeof receiptSummary>
