import { createHash } from 'node:crypto'
import {
  type ListReceiptsQuery,
  type ReceiptFilterQuery,
  receiptSorts,
} from '@sluice/protocol/api/receipts/filters.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import {
  type DisplayStatus,
  displayStatuses,
  type ListedStatus,
  listedStatuses,
} from '@sluice/protocol/receipt-status.ts'
import { maxUnixMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Issue, invalidInput } from '../../kernel/api-error.ts'
import { type Cursor, packedCursor } from '../../kernel/page.ts'
import { nearestName } from '../../kernel/text/nearest-name.ts'
import type { Currency } from '../receipt.ts'

export type ReceiptFilter = {
  readonly statuses: readonly ListedStatus[] | undefined
  readonly displayed: readonly DisplayStatus[] | undefined
  /** Inclusive. */
  readonly from: UnixMs
  /** Exclusive. */
  readonly to: UnixMs
  readonly text: string | undefined
  readonly currency: Currency | undefined
  /** Totals in cents of `currency`, or of US dollars if absent. Both bounds are inclusive. */
  readonly min: bigint | undefined
  readonly max: bigint | undefined
}

export const currencies: readonly Currency[] = ['USD', 'EUR']

/** @throws {ApiError} `invalid_input` with every issue. */
export function parseFilter(query: ReceiptFilterQuery & { readonly displayStatus?: string }): ReceiptFilter {
  const issues: Issue[] = []
  const filter = {
    statuses: readNames('status', query.status, listedStatuses, issues),
    displayed: readNames('displayStatus', query.displayStatus, displayStatuses, issues),
    from: readMoment('from', query.from, issues) ?? (0 as UnixMs),
    to: readMoment('to', query.to, issues) ?? maxUnixMs,
    text: query.q?.trim() || undefined,
    currency: readCurrency(query.currency, issues),
    min: readAmount('min', query.min, issues),
    max: readAmount('max', query.max, issues),
  }
  if (issues.length === 0 && query.from !== undefined && query.to !== undefined && filter.from >= filter.to)
    issues.push({ path: 'to', message: 'must be later than from' })
  if (filter.min !== undefined && filter.max !== undefined && filter.min > filter.max)
    issues.push({ path: 'max', message: 'must not be less than min' })
  if (issues.length > 0) throw invalidInput(...issues)
  return filter
}

export function isOpen({ statuses, displayed, from, to, text, currency, min, max }: ReceiptFilter): boolean {
  const hasRange = from > 0 || to < maxUnixMs
  return !hasRange && [statuses, displayed, text, currency, min, max].every((each) => each === undefined)
}

function readNames<Name extends string>(
  path: string,
  sent: string | undefined,
  known: readonly Name[],
  issues: Issue[],
): readonly Name[] | undefined {
  if (sent === undefined) return undefined
  const named = sent.split(',').map((each) => each.trim())
  const unknown = named.find((each) => !(known as readonly string[]).includes(each))
  if (unknown === undefined) return known.filter((name) => named.includes(name))
  const nearest = nearestName(unknown, known)
  const hint = nearest ? `did you mean ${nearest}?` : `the statuses are ${known.join(', ')}`
  issues.push({ path, message: `must name statuses, separated by commas; ${hint}` })
  return undefined
}

function readMoment(path: string, sent: string | undefined, issues: Issue[]): UnixMs | undefined {
  if (sent === undefined) return undefined
  const moment = /^\d{1,16}$/.test(sent) ? Number(sent) : Number.POSITIVE_INFINITY
  if (moment <= maxUnixMs) return moment as UnixMs
  issues.push({ path, message: 'must be a time in Unix milliseconds' })
  return undefined
}

function readCurrency(sent: string | undefined, issues: Issue[]): Currency | undefined {
  if (sent === undefined) return undefined
  const found = currencies.find((each) => each === sent.toUpperCase())
  if (!found) issues.push({ path: 'currency', message: `must be one of ${currencies.join(', ')}` })
  return found
}

function readAmount(path: string, sent: string | undefined, issues: Issue[]): bigint | undefined {
  if (sent === undefined) return undefined
  const match = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(sent)
  if (match) return BigInt(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`)
  issues.push({ path, message: 'must be an amount with at most two decimals' })
  return undefined
}

/** Order of a list. Ties are sorted by id. */
export type ReceiptOrder = { readonly by: 'createdAt' | 'amount'; readonly isDescending: boolean }

/** Position in a list: creation time or amount in US cents, and id. */
export type ReceiptPlace = { readonly key: bigint; readonly id: string }

/**
 * Parses the order of a query.
 *
 * @throws {ApiError} `invalid_input`.
 */
export function parseOrder({ sort = '-createdAt' }: Pick<ListReceiptsQuery, 'sort'>): ReceiptOrder {
  if (!(receiptSorts as readonly string[]).includes(sort))
    throw invalidInput({ path: 'sort', message: `must be one of ${receiptSorts.join(', ')}` })
  return { by: sort.endsWith('amount') ? 'amount' : 'createdAt', isDescending: sort.startsWith('-') }
}

/** Returns the cursor codec of a list. A cursor is valid only for the same filter and order. */
export function cursorOf(filter: ReceiptFilter, order: ReceiptOrder): Cursor<ReceiptPlace> {
  const mark = markOf(filter, order)
  return packedCursor({
    write: ({ key, id }) => `${mark}:${key}:${id}`,
    parse(text) {
      const match = /^([\w-]{11}):(\d{1,18}):(.+)$/.exec(text)
      const id = parseReceiptId(match?.[3] ?? '')
      return match && match[1] === mark && id !== undefined ? { key: BigInt(match[2] ?? ''), id } : undefined
    },
  })
}

function markOf({ min, max, ...filter }: ReceiptFilter, order: ReceiptOrder): string {
  const reported = JSON.stringify([filter, String(min), String(max), order])
  return createHash('sha256').update(reported).digest('base64url').slice(0, 11)
}
