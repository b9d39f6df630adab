import { expect, test } from 'vitest'
import { streamCsv, writeCell } from './csv.ts'

test('no page is read before there is room for it, and none after the reader has gone', async () => {
  let [pagesRead, isOver] = [0, false]
  async function* pages() {
    try {
      for (;;) {
        pagesRead++
        yield Array.from({ length: 1_000 }, () => 'x'.repeat(200))
      }
    } finally {
      isOver = true
    }
  }
  const file = await streamCsv([['text', (text: string) => text]], pages())
  for await (const piece of file) {
    expect(String(piece).length).toBeGreaterThan(0)
    break
  }
  expect(pagesRead).toBeLessThan(5)
  expect(isOver).toBe(true)
})

test('a fault of the first page is thrown, and not a file that breaks off', async () => {
  // biome-ignore lint/correctness/useYield: it fails before
  async function* failing(): AsyncGenerator<string[], void, undefined> {
    throw new Error('away')
  }
  await expect(streamCsv([['text', (text: string) => text]], failing())).rejects.toThrow('away')
})

test('a cell with what other spreadsheets divide columns by is quoted, so that no formula begins after it', () => {
  for (const text of ['Beans;=1+1', 'Beans\t=1+1', 'Beans,=1+1', 'Beans\n=1+1'])
    expect(writeCell(text)).toBe(`"${text}"`)
  expect(writeCell('Beans =1+1')).toBe('Beans =1+1')
})
