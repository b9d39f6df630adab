import { invalidInput } from './api-error.ts'
import { weigh } from './weigh.ts'

const defaultLimit = 100
const maxLimit = 200

/** Maximum size of a page in bytes, far above a few hundred ordinary entries. */
export const maxPageBytes = 512 * 1024

/** Query parameters of a list, as unvalidated text. */
export type PageQuery = { readonly limit?: string; readonly cursor?: string }

/** Entries of a page. `nextCursor` is null on the last page. */
export type Page<T> = { readonly page: T[]; readonly nextCursor: string | null }

/** Encodes a list position. `read` returns `undefined` for any text that `write` cannot have produced. */
export type Cursor<Place> = {
  write(place: Place): string
  parse(text: string): Place | undefined
}

type Cut<T> = { readonly page: T[]; readonly hasMore: boolean }

/**
 * Returns a page of a list.
 *
 * See docs/contract.md#lists.
 *
 * @param find - Returns up to `count` entries after a position, in list order: one more than the page shows.
 * @throws {ApiError} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function readPage<T extends Place, Place>(
  query: PageQuery,
  cursor: Cursor<Place>,
  find: (after: Place | undefined, count: number) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const { page, nextCursor } = await readEndedPage(query, cursor, async (after, limit) => {
    const cut = cutPage(await find(after, limit + 1), limit)
    return { ...cut, last: cut.page.at(-1) }
  })
  return { page, nextCursor }
}

/**
 * Returns a page for a `find` that stays below {@link maxPageBytes} and names the last entry.
 *
 * @throws {ApiError} `invalid_input`, as {@link readPage}.
 */
export async function readEndedPage<
  Place,
  Found extends { readonly last: Place | undefined; readonly hasMore: boolean },
>(
  query: PageQuery,
  cursor: Cursor<Place>,
  find: (after: Place | undefined, limit: number) => Promise<Found>,
): Promise<Found & { readonly nextCursor: string | null }> {
  const limit = readLimit(query.limit)
  if (limit === undefined) throw invalidInput(badLimit)
  const after = query.cursor === undefined ? undefined : cursor.parse(query.cursor)
  if (query.cursor !== undefined && after === undefined)
    throw invalidInput({ path: 'cursor', message: 'is not a valid cursor for this list' })
  const found = await find(after, limit)
  const { last, hasMore } = found
  return { ...found, nextCursor: hasMore && last !== undefined ? cursor.write(last) : null }
}

/** Issue for a `limit` outside 1–200. */
export const badLimit = { path: 'limit', message: `must be a whole number from 1 to ${maxLimit}` }

/** Parses `limit`. Returns 100 if it is absent, `undefined` if it is invalid. */
export function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return defaultLimit
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= maxLimit ? limit : undefined
}

/** Adds the cursor of the next page to a page that {@link cutPage} returned. */
export function endPage<T extends Place, Place>(
  { page, hasMore }: Cut<T>,
  cursor: Pick<Cursor<Place>, 'write'>,
): Page<T> {
  const last = page.at(-1)
  return { page, nextCursor: hasMore && last !== undefined ? cursor.write(last) : null }
}

/**
 * Cuts a page from `found`, which has one entry more than `limit` if the list continues.
 *
 * Long entries make the page shorter, but never empty if there is an entry.
 */
export function cutPage<T>(found: readonly T[], limit: number): Cut<T> {
  let bytes = 0
  let count = 0
  for (const entry of found.slice(0, limit)) {
    bytes += weigh(entry)
    if (count > 0 && bytes > maxPageBytes) break
    count++
  }
  return { page: found.slice(0, count), hasMore: found.length > count }
}

/** Returns an opaque cursor, which clients must not parse. */
export function packedCursor<Place>(plain: Cursor<Place>): Cursor<Place> {
  return {
    write: (place) => Buffer.from(plain.write(place)).toString('base64url'),
    parse: (text) => plain.parse(Buffer.from(text, 'base64url').toString()),
  }
}

/** Returns a cursor for lists that are ordered by a time and then by id. */
export function timeCursor<Name extends string, Id extends string>(
  name: Name,
  parseId: (text: string) => Id | undefined,
  prefix = '',
): Cursor<Readonly<Record<Name, number>> & { readonly id: Id }> {
  return packedCursor({
    write: (place) => `${prefix}${place[name]}:${place.id}`,
    parse(text) {
      const match = /^(\d{1,15}):(.+)$/.exec(text.startsWith(prefix) ? text.slice(prefix.length) : '')
      const id = parseId(match?.[2] ?? '')
      if (!match || id === undefined) return undefined
      return { [name]: Number(match[1]), id } as Record<Name, number> & { id: Id }
    },
  })
}

/** Returns a readable cursor for lists that are ordered by a positive number. */
export function numberCursor<Name extends string>(name: Name): Cursor<Readonly<Record<Name, bigint>>> {
  return {
    write: (place) => String(place[name]),
    parse: (text) =>
      /^[1-9][0-9]{0,17}$/.test(text) ? ({ [name]: BigInt(text) } as Record<Name, bigint>) : undefined,
  }
}
