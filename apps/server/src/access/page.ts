import { invalidInput } from '../kernel/refusal.ts'
import { weigh } from '../kernel/weigh.ts'

const defaultLimit = 100 // contract: Limits
const maxLimit = 200

/** What the entries of a page may come to, in bytes: a few hundred ordinary ones are far below it. */
export const maxPageBytes = 512 * 1024

/**
 * How many rows a list was asked for.
 *
 * @throws {Refusal} `invalid_input` outside 1–200.
 */
export function parseLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw invalidInput({ path: 'limit', message: `must be a whole number from 1 to ${maxLimit}` })
}

/** The refusal of a cursor that no list gave. */
export function badCursor() {
  return invalidInput({ path: 'cursor', message: 'is not a valid cursor for this list' })
}

/**
 * The page of a list, of which one entry more than `limit` was looked for: shorter where its entries are long,
 * and never empty where there is one.
 *
 * @returns `hasMore`: whether the list goes on after it.
 */
export function cutPage<T>(found: readonly T[], limit: number): { page: T[]; hasMore: boolean } {
  let bytes = 0
  let count = 0
  for (const entry of found.slice(0, limit)) {
    bytes += weigh(entry)
    if (count > 0 && bytes > maxPageBytes) break
    count++
  }
  return { page: found.slice(0, count), hasMore: found.length > count }
}
