import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../test/support/test-random.ts'
import { ApiError } from './api-error.ts'
import { maxPageBytes, numberCursor, type PageQuery, packedCursor, readPage, timeCursor } from './page.ts'

type Entry = { readonly sequence: bigint; readonly text: string }

const entries = (count: number, text = 'x'): Entry[] =>
  Array.from({ length: count }, (_, i) => ({ sequence: BigInt(i + 1), text }))

const pageOf = (all: readonly Entry[], query: PageQuery) =>
  readPage(query, numberCursor('sequence'), async (after, count) =>
    all.filter(({ sequence }) => sequence > (after?.sequence ?? 0n)).slice(0, count),
  )

test('pages one after another hold every entry once, whatever the limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 20 }), async (count, limit) => {
      const seen: bigint[] = []
      let cursor: string | null = null
      do {
        const query: PageQuery = { limit: `${limit}`, ...(cursor !== null && { cursor }) }
        const found = await pageOf(entries(count), query)
        expect(found.page.length).toBeLessThanOrEqual(limit)
        seen.push(...found.page.map(({ sequence }) => sequence))
        cursor = found.nextCursor
      } while (cursor !== null)
      expect(seen).toEqual(entries(count).map(({ sequence }) => sequence))
    }),
  )
})

test('a page has 100 entries where no limit is given, and ends early where they are long', async () => {
  expect((await pageOf(entries(150), {})).page).toHaveLength(100)
  const long = await pageOf(entries(3, 'x'.repeat(maxPageBytes)), {})
  expect([long.page.length, long.nextCursor]).toEqual([1, '1'])
})

test.each(['0', '201', '-1', '1.5', 'ten', '', '00001'])('a limit of %j is refused', (limit) =>
  expect(async () => pageOf(entries(1), { limit })).rejects.toThrow(ApiError))

test('a cursor that no list of this kind wrote is refused', async () => {
  const other = timeCursor('at', (id) => id).write({ at: 1, id: 'x' })
  for (const cursor of ['', 'x', '-1', '0', '1'.repeat(19), other])
    await expect(async () => pageOf(entries(1), { cursor })).rejects.toThrow(ApiError)
})

test('a cursor by time gives its place back, and none that another prefix has', () => {
  const cursor = timeCursor('at', (id) => (id.startsWith('R-') ? id : undefined), 'order:')
  forAll(fc.nat(), fc.string(), (at, rest) => {
    const place = { at, id: `R-${rest.replaceAll(/[\n\r\u2028\u2029]/g, '')}` }
    fc.pre(Buffer.from(place.id).toString() === place.id)
    expect(cursor.parse(cursor.write(place))).toEqual(place)
  })
  const foreign = timeCursor('at', (id) => id).write({ at: 1, id: 'R-1' })
  expect(cursor.parse(foreign)).toBeUndefined()
  expect(cursor.parse(cursor.write({ at: 1, id: 'X-1' }))).toBeUndefined()
})

test('a packed cursor is of letters that a URL takes as they are', () => {
  const cursor = packedCursor<string>({ write: (place) => place, parse: (text) => text })
  const isPlain = (place: string) => /^[A-Za-z0-9_-]*$/.test(cursor.write(place))
  forAll(fc.string(), isPlain)
})
