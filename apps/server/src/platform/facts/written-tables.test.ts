import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Reads, recordRead, tablesWrittenBy, WrittenTables } from './written-tables.ts'

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url))

const listDue = {
  name: 'test-list-due',
  text: 'SELECT id FROM notice JOIN receipt USING (id) WHERE next_at <= $1',
}

async function setUp() {
  const written = new WrittenTables()
  written.hear(true)
  const reads = new Reads()
  await reads.during(async () => recordRead(listDue))
  const since = written.count
  return { written, reads, since }
}

test('what a statement writes is read from its text', () => {
  const text = `WITH a AS (INSERT INTO notice (id) VALUES ($1) ON CONFLICT DO UPDATE SET id = $1), b AS (
    UPDATE receipt SET x = 1) DELETE FROM claim`
  expect(tablesWrittenBy({ name: 'test-all', text })).toEqual(['notice', 'receipt', 'claim'])
  expect(tablesWrittenBy({ name: 'test-none', text: 'SELECT 1 FROM notice FOR UPDATE' })).toEqual([])
})

test('a statement without a name is told from others without one', () => {
  expect(tablesWrittenBy({ name: '', text: 'SELECT 1' })).toEqual([])
  expect(tablesWrittenBy({ name: '', text: 'DELETE FROM claim' })).toEqual(['claim'])
})

test('what a function of the schema writes is what its text says', () => {
  const texts = readdirSync(migrations)
    .toSorted()
    .map((file) => readFileSync(`${migrations}/${file}`, 'utf8'))
  const bodies = texts.flatMap((text) => [
    ...text.matchAll(/CREATE (?:OR REPLACE )?FUNCTION (\w+)([\s\S]*?\$\$[\s\S]*?\$\$)/g),
  ])
  const written = new Map(
    bodies.map(([, name = '', body = '']) => [name, tablesWrittenBy({ name, text: body })]),
  )
  expect(written.get('store_receipts')).toHaveLength(5)
  for (const [name, tables] of written) {
    expect(tablesWrittenBy({ name: `call-${name}`, text: `SELECT ${name}(:merchant) AS it` })).toEqual(tables)
  }
})

test('what was read is the same until one of its tables is written, by whichever process', async () => {
  for (const table of ['notice', 'receipt']) {
    const { written, reads, since } = await setUp()
    written.note(['product'])
    written.take(`${written.origin} notice`)
    expect(written.isSame(reads, since)).toBe(true)
    written.take(`another product ${table}`)
    expect(written.isSame(reads, since)).toBe(false)
    expect(written.isSame(reads, written.count)).toBe(true)
  }
})

test('nothing is taken for the same while others are not heard, nor when they are heard again', async () => {
  const { written, reads, since } = await setUp()
  written.hear(false)
  expect(written.isSame(reads, written.count)).toBe(false)
  written.hear(true)
  expect(written.isSame(reads, since)).toBe(false)
  expect(written.isSame(reads, written.count)).toBe(true)
})

test('what its reader writes itself leaves it the same, and hides nobody else', async () => {
  const { written, reads, since } = await setUp()
  const write = () => reads.during(async () => written.note(['notice']))
  await write()
  expect(written.isSame(reads, since)).toBe(true)
  written.note(['notice'])
  await write()
  await write()
  expect(written.isSame(reads, since)).toBe(false)
})
