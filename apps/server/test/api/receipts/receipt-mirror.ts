import {
  isPaidLike,
  type ListedStatus,
  listedStatuses,
  type receiptStatuses,
} from '@sluice/protocol/receipt-status.ts'

export type MirroredReceipt = {
  readonly receiptId: string
  readonly status: (typeof receiptStatuses)[number]
  readonly currency: 'USD' | 'EUR'
  readonly totalUsd: number
  readonly total: number
  readonly createdAt: number
  readonly cancelledAt?: number | undefined
  readonly hashes: readonly string[]
  readonly emails: readonly string[]
  readonly transactionId?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

export type ListParameters = Readonly<
  Partial<Record<'status' | 'from' | 'to' | 'q' | 'currency' | 'min' | 'max' | 'sort', string>>
>

/** Returns the expected list, computed in memory from all receipts. */
export function filterMirror(
  all: readonly MirroredReceipt[],
  { status, from, to, q, currency, min, max, sort = '-createdAt' }: ListParameters,
): MirroredReceipt[] {
  const amountOf = (each: MirroredReceipt) => (currency ? each.total : each.totalUsd)
  const keyOf = (each: MirroredReceipt) => (sort.endsWith('amount') ? each.totalUsd : each.createdAt)
  const sign = sort.startsWith('-') ? -1 : 1
  return all
    .filter(
      (each) =>
        (status === undefined || status.split(',').includes(standingOf(each))) &&
        (from === undefined || each.createdAt >= Number(from)) &&
        (to === undefined || each.createdAt < Number(to)) &&
        (currency === undefined || each.currency === currency) &&
        (min === undefined || amountOf(each) >= Number(min)) &&
        (max === undefined || amountOf(each) <= Number(max)) &&
        (q === undefined || isMeant(each, q)),
    )
    .toSorted(
      (a, b) =>
        sign * (keyOf(a) - keyOf(b) || (a.receiptId < b.receiptId ? -1 : a.receiptId > b.receiptId ? 1 : 0)),
    )
}

/** Returns the expected summary of a list, without `byStatus`, which depends on a different filter. */
export function summarizeMirror(found: readonly MirroredReceipt[]) {
  const currencies = [...new Set(found.map(({ currency }) => currency))].toSorted().toReversed()
  return {
    count: found.length,
    totals: currencies.map((currency) => {
      const of = found.filter((each) => each.currency === currency)
      const awaits = (each: MirroredReceipt) => ['pending', 'generated'].includes(standingOf(each))
      return {
        currency,
        count: of.length,
        total: add(of),
        paid: add(of.filter(({ status }) => isPaidLike(status))),
        awaiting: add(of.filter(awaits)),
      }
    }),
  }
}

export function countStatuses(found: readonly MirroredReceipt[]): Record<string, number> {
  return Object.fromEntries(
    listedStatuses.map((standing) => [
      standing,
      found.filter((each) => standingOf(each) === standing).length,
    ]),
  )
}

function standingOf({ status, cancelledAt }: MirroredReceipt): ListedStatus {
  const isUnpaid = status === 'generated' || status === 'pending' || status === 'failed'
  return cancelledAt !== undefined && isUnpaid ? 'cancelled' : status
}

function add(receipts: readonly MirroredReceipt[]): number {
  return receipts.reduce((sum, { total }) => sum + Math.round(total * 100), 0) / 100
}

function isMeant(
  { receiptId, hashes, emails, transactionId, metadata }: MirroredReceipt,
  q: string,
): boolean {
  const digits = /^(?:0x)?([0-9a-f]{6,64})$/i.exec(q)?.[1]?.toLowerCase()
  return (
    receiptId.startsWith(q) ||
    (digits !== undefined && hashes.some((hash) => hash.startsWith(`0x${digits}`))) ||
    emails.some((email) => email.toLowerCase() === q.toLowerCase()) ||
    transactionId === q ||
    Object.values(metadata ?? {}).some((value) => typeof value !== 'object' && String(value) === q)
  )
}
