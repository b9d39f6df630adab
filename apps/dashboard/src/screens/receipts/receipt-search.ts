import { amountOf, readCents } from '../../format/cents.ts'

/** The tabs of the list, with the display statuses that each shows. */
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

/** The tabs that are there only while there is something in them. */
export const rareTabs: readonly ReceiptTab[] = ['underpaid', 'overpaid', 'reversed', 'expired', 'stopped']

/** One of {@link receiptTabs}. */
export type ReceiptTab = keyof typeof receiptTabs

/** What the list can be ordered by. */
export const receiptSorts = ['-createdAt', 'createdAt', '-amount', 'amount'] as const

/** What the address says of the list of receipts; days are in the reader's own zone. */
export type ReceiptSearch = {
  readonly tab?: ReceiptTab
  readonly q?: string
  readonly from?: string
  readonly to?: string
  readonly currency?: 'USD' | 'EUR'
  readonly min?: string
  readonly max?: string
  readonly sort?: (typeof receiptSorts)[number]
  /** How many pages are shown, where that is more than one. */
  readonly pages?: number
}

const mostPages = 40

/** Reads an address: what it says wrongly says nothing. */
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

/** What the API is asked for beside the status, the order and the page. */
export type ReceiptFilters = {
  q?: string
  from?: number
  to?: number
  currency?: 'USD' | 'EUR'
  min?: number
  max?: number
}

/** The filters of an address as the API takes them. */
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

/** The display statuses of a tab as the API takes them. */
export function statusOf({ tab = 'all' }: ReceiptSearch): { displayStatus?: string } {
  const statuses = receiptTabs[tab]
  return statuses ? { displayStatus: statuses.join(',') } : {}
}

/** Where the whole list that the address asks for is downloaded as CSV. */
export function exportAddress(search: ReceiptSearch): string {
  const { sort } = search
  const asked = { ...filtersOf(search), ...statusOf(search), ...(sort && { sort }) }
  const pairs = Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)])
  return `/api/receipts/export?${new URLSearchParams(pairs)}`
}

/** How many filters beside tab and search are set. */
export function countFilters({ from, to, currency, min, max }: ReceiptSearch): number {
  return [from, to, currency, min, max].filter(Boolean).length
}

/** When a day begins here, so many days later. */
function dayStart(day: string, later: number): number {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}
