import { amountOf, readCents } from '../../format/cents.ts'

export const receiptTabs = {
  all: undefined,
  awaiting: ['generated', 'pending', 'confirming'],
  underpaid: ['underpaid'],
  paid: ['paid', 'reconciled', 'paid - ach pending', 'overpaid'],
  overpaid: ['overpaid'],
  reversed: ['reversed'],
  failed: ['failed'],
  refund_requested: ['refund_requested'],
  refunded: ['refunded'],
  expired: ['expired'],
  stopped: ['stopped'],
  cancelled: ['cancelled'],
} as const

/** Tabs that are visible only if they contain receipts. */
export const rareTabs: readonly ReceiptTab[] = ['underpaid', 'overpaid', 'reversed', 'expired', 'stopped']

export type ReceiptTab = keyof typeof receiptTabs

export const receiptSorts = ['-createdAt', 'createdAt', '-amount', 'amount'] as const

/** URL parameters of the receipt list. `from` and `to` are days in the user's time zone. */
export type ReceiptSearch = {
  readonly tab?: ReceiptTab
  readonly q?: string
  readonly from?: string
  readonly to?: string
  readonly currency?: 'USD' | 'EUR'
  readonly min?: string
  readonly max?: string
  readonly sort?: (typeof receiptSorts)[number]
  readonly pages?: number
}

const mostPages = 40

/** Parses the URL parameters. Ignores invalid values. */
export function readReceiptSearch(sent: Record<string, unknown>): ReceiptSearch {
  const oneOf = <T extends string>(name: string, allowed: readonly T[]) => {
    const found = allowed.find((value) => value === String(sent[name]))
    return found === undefined ? {} : { [name]: found }
  }
  const words = (name: string, form: RegExp) => {
    const value = sent[name] === undefined ? '' : String(sent[name]).trim()
    return form.test(value) ? { [name]: value } : {}
  }
  const pages = Math.trunc(Number(sent.pages))
  return {
    ...oneOf('tab', Object.keys(receiptTabs) as ReceiptTab[]),
    ...words('q', /^.{1,255}$/),
    ...words('from', /^\d{4}-\d\d-\d\d$/),
    ...words('to', /^\d{4}-\d\d-\d\d$/),
    ...oneOf('currency', ['USD', 'EUR'] as const),
    ...words('min', /^\d{1,9}([.,]\d{1,2})?$/),
    ...words('max', /^\d{1,9}([.,]\d{1,2})?$/),
    ...oneOf('sort', receiptSorts),
    ...(pages > 1 && { pages: Math.min(pages, mostPages) }),
  }
}

export type ReceiptFilters = {
  q?: string
  from?: number
  to?: number
  currency?: 'USD' | 'EUR'
  min?: number
  max?: number
}

/** Converts the URL parameters to API filters. The day `to` is inclusive. */
export function filtersOf({ q, from, to, currency, min, max }: ReceiptSearch): ReceiptFilters {
  return {
    ...(q && { q }),
    ...(from && { from: dayStart(from, 0) }),
    ...(to && { to: dayStart(to, 1) }),
    ...(currency && { currency }),
    ...(min && { min: amountOf(readCents(min) ?? 0n) }),
    ...(max && { max: amountOf(readCents(max) ?? 0n) }),
  }
}

export function statusOf({ tab = 'all' }: ReceiptSearch): { displayStatus?: string } {
  const statuses = receiptTabs[tab]
  return statuses ? { displayStatus: statuses.join(',') } : {}
}

export function exportAddress(search: ReceiptSearch): string {
  const { sort } = search
  const asked = { ...filtersOf(search), ...statusOf(search), ...(sort && { sort }) }
  const pairs = Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)])
  return `/api/receipts/export?${new URLSearchParams(pairs)}`
}

export function countFilters({ from, to, currency, min, max }: ReceiptSearch): number {
  return [from, to, currency, min, max].filter(Boolean).length
}

/** Returns the start of the day `later` days after `day`, as Unix time in ms. */
function dayStart(day: string, later: number): number {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}
