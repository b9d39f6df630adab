import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import {
  type DisplayStatus,
  type ListedStatus,
  listedStatuses,
  spellingsOf,
} from '@sluice/protocol/receipt-status.ts'
import { maxUnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { termsFor } from '../search-terms.ts'
import { madeFrom } from './display-status.ts'
import { narrowed, ordered } from './place-store.ts'
import { currencies, type ReceiptFilter, type ReceiptOrder, type ReceiptPlace } from './receipt-filter.ts'

export type ReceiptList = { readonly filter: ReceiptFilter; readonly order: ReceiptOrder }

export type FindingNeeds = {
  readonly db: Database
  readonly site: { readonly chainId: number }
  readonly deadlines: Pick<Clock, 'now'>
}

/**
 * Returns at most `count` positions of a list that follow a given position.
 *
 * Tries the indexes that the filter narrows first. If an index yields `room` or more candidates, the value is
 * common, and the index in list order fills a page sooner.
 */
export async function findPlaces(
  needs: FindingNeeds,
  merchant: Wallet,
  { filter, order }: ReceiptList,
  { after, count }: { after: ReceiptPlace | undefined; count: number },
): Promise<{ id: ReceiptId; key: bigint }[]> {
  const way = order.isDescending ? 'down' : 'up'
  const place = after ?? (order.isDescending ? last : first)
  const asked = { merchant, ...bind(needs, filter), place, count, room, isByAmount: order.by === 'amount' }
  for (const index of narrowing(filter, order)) {
    const rows = await needs.db.rows(narrowed[index][way](asked))
    if ((rows[0]?.candidates ?? 0n) < BigInt(room))
      return rows.flatMap(({ id, key }) => (id === undefined || key === undefined ? [] : [{ id, key }]))
  }
  const { from, to, minCents, maxCents } = asked
  const [low, high] = order.by === 'amount' ? [minCents, maxCents] : [from, to - 1]
  return needs.db.rows(ordered[order.by][way]({ ...asked, low, high }))
}

/** Number of candidates from a narrowing index at which the index in list order is used instead. */
const room = 2000
const largest = 10n ** 18n
const first: ReceiptPlace = { key: -1n, id: '' }
const last: ReceiptPlace = { key: largest, id: '' }

const uneven: ReadonlySet<DisplayStatus> = new Set(['confirming', 'underpaid', 'overpaid', 'reversed'])

function narrowing({ text, currency, min, max, from, to, displayed }: ReceiptFilter, { by }: ReceiptOrder) {
  const hasAmount = min !== undefined || max !== undefined
  const ways: (keyof typeof narrowed)[] = []
  if (text !== undefined) ways.push('text')
  if (displayed?.every((each) => each === 'expired')) ways.push('expired')
  if (displayed?.every((each) => uneven.has(each))) ways.push('uneven')
  if (by === 'createdAt' && hasAmount) ways.push(isForeign(currency) ? 'nativeAmount' : 'amount')
  if (by === 'amount' && (from > 0 || to < maxUnixMs)) ways.push('time')
  if (by === 'amount' && hasAmount && isForeign(currency)) ways.push('nativeAmount')
  return ways
}

export function bind({ site, deadlines }: Pick<FindingNeeds, 'site' | 'deadlines'>, filter: ReceiptFilter) {
  const { statuses = listedStatuses, displayed, from, to, text, currency, min = 0n, max = largest } = filter
  const [usd, native] = isForeign(currency) ? [open, { min, max }] : [{ min, max }, open]
  const hash = hashPrefixOf(text)
  return {
    currencies: currency ? [currency] : [...currencies],
    standings: statuses.filter((each) => isMade(each, displayed)).flatMap(storedAs),
    displayed,
    now: deadlines.now(),
    from,
    to,
    minCents: usd.min,
    maxCents: usd.max,
    minNative: native.min,
    maxNative: native.max,
    hasText: text !== undefined,
    text: text ?? '',
    textEnd: `${text ?? ''}\u{10ffff}`,
    terms: text === undefined ? [] : termsFor(text),
    hash,
    hashEnd: hash && `${hash}g`,
    chain: site.chainId,
  }
}

const storedAs = (standing: ListedStatus) => (standing === 'cancelled' ? [standing] : spellingsOf(standing))

function isMade(standing: ListedStatus, displayed: readonly DisplayStatus[] | undefined): boolean {
  const isOf = (each: DisplayStatus) => madeFrom[each]?.some((from) => from === standing)
  return displayed === undefined || displayed.some((each) => each === standing || isOf(each))
}

const open = { min: 0n, max: largest }

export function isForeign(currency: ReceiptFilter['currency']): boolean {
  return currency !== undefined && currency !== 'USD'
}

/** Returns the transaction hash prefix in a search text: 6 to 64 hexadecimal digits. */
function hashPrefixOf(text: string | undefined): string | undefined {
  const digits = /^(?:0x)?([0-9a-f]{6,64})$/i.exec(text ?? '')?.[1]
  return digits && `0x${digits.toLowerCase()}`
}
