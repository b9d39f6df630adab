import { invalidInput } from './refusal.ts'
import { weigh } from './weigh.ts'

const defaultLimit = 100 // contract: Limits
const maxLimit = 200

/** What the entries of a page may come to, in bytes: a few hundred ordinary ones are far below it. */
export const maxPageBytes = 512 * 1024

/** What a list is asked for. */
export type PageQuery = { readonly limit?: string; readonly cursor?: string }

/** Some of a list's entries, and the cursor that goes on after them; null at the end. */
export type Page<T> = { readonly page: T[]; readonly nextCursor: string | null }

/** How a list writes the place where a page ended, and reads it again; `undefined` for a text it never wrote. */
export type Cursor<Place> = {
  write(place: Place): string
  parse(text: string): Place | undefined
}

/** What was found of a list, and whether it goes on. */
type Cut<T> = { readonly page: T[]; readonly hasMore: boolean }

/**
 * A page of a list.
 *
 * @param find - Up to `count` entries after a place, in the order of the list: one more than is shown.
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
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
 * As {@link readPage}, where whoever finds the entries, in whatever form, keeps the page below {@link maxPageBytes} and
 * says which is the last of them.
 *
 * @throws {Refusal} as there.
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

/** The fault of a limit that {@link readLimit} does not take. */
export const badLimit = { path: 'limit', message: `must be a whole number from 1 to ${maxLimit}` }

/** How many entries a list was asked for; `undefined` outside 1–200. */
export function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return defaultLimit
  const limit = /^[0-9]{1,4}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= maxLimit ? limit : undefined
}

/** What was found as a page, with the cursor of the next one where the list goes on. */
export function endPage<T extends Place, Place>(
  { page, hasMore }: Cut<T>,
  cursor: Pick<Cursor<Place>, 'write'>,
): Page<T> {
  const last = page.at(-1)
  return { page, nextCursor: hasMore && last !== undefined ? cursor.write(last) : null }
}

/**
 * The page of a list, of which one entry more than `limit` was looked for: shorter where its entries are long,
 * and never empty where there is one.
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

/** A cursor of several parts, packed so that nobody reads meaning into it. */
export function packedCursor<Place>(plain: Cursor<Place>): Cursor<Place> {
  return {
    write: (place) => Buffer.from(plain.write(place)).toString('base64url'),
    parse: (text) => plain.parse(Buffer.from(text, 'base64url').toString()),
  }
}

/** The cursor of a list by time: the milliseconds and the id of the last entry, whose id `parseId` knows. */
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

/** The cursor of a list by number, which it is itself. */
export function numberCursor<Name extends string>(name: Name): Cursor<Readonly<Record<Name, bigint>>> {
  return {
    write: (place) => String(place[name]),
    parse: (text) =>
      /^[1-9][0-9]{0,17}$/.test(text) ? ({ [name]: BigInt(text) } as Record<Name, bigint>) : undefined,
  }
}
