import { expect, test } from 'vitest'
import { count, emptyAsNull, group, int8, json, named, numeric, optional, text, time } from './columns.ts'
import { statement, toPositions } from './statement.ts'
import { assign, assignAllBut, columnsOf, eachOf, table, valuesOf } from './table.ts'

type Coin = {
  readonly merchant: string
  readonly units: bigint
  readonly seenAt: number
  readonly block: { readonly number: bigint; readonly hash: string }
  readonly payer?: string | undefined
  readonly notes: readonly string[]
}

const coins = table<Coin>('coin', {
  merchant: text(),
  units: named('amount', numeric()),
  seenAt: count(),
  block: group({ number: named('block_number', int8()), hash: text() }),
  payer: optional(text()),
  notes: emptyAsNull(json()),
})

const coin = { merchant: 'm', units: 2n ** 70n, seenAt: 5, block: { number: 9n, hash: '0x' }, notes: [] }

test('a name has one position, wherever it stands; casts, quotes and comments have no names', () => {
  expect(toPositions("SELECT :a::text, ':b', x[1:2], :to.at -- :c\n WHERE a = :a AND b = :b")).toEqual({
    text: "SELECT $1::text, ':b', x[1:2], $2 -- :c\n WHERE a = $1 AND b = $3",
    paths: ['a', 'to.at', 'b'],
  })
})

test('a text with positions is refused where it is written', () =>
  expect(() => statement({ name: 'find', text: 'SELECT 1 WHERE a = $1' })).toThrow('values must be named'))

test('what is written follows from the table: names, JSON, nested values, NULL for what is absent', () => {
  const insert = statement({
    name: 'insert-coin',
    text: `INSERT INTO coin ${valuesOf(coins)}`,
    writes: coins,
  })
  const { text, values } = insert(coin)
  expect(text).toBe(
    'INSERT INTO coin (merchant, amount, seen_at, block_number, hash, payer, notes) VALUES ($1, $2, $3, $4, $5, $6, $7)',
  )
  expect(values).toEqual(['m', 2n ** 70n, 5, 9n, '0x', null, null])
  expect(insert({ ...coin, notes: ['a'] }).values?.at(-1)).toBe('["a"]')
})

test('many entities are one list for each column', () => {
  const insert = statement({
    name: 'insert-coins',
    text: `INSERT INTO coin (${columnsOf(coins)}) SELECT * FROM ${eachOf(coins)}`,
    writes: coins,
  })
  const { text, values } = insert({ each: [coin, { ...coin, merchant: 'n', payer: 'p' }] })
  expect(text).toContain(
    'unnest($1::text[], $2::numeric[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::jsonb[])',
  )
  const same = [2n ** 70n, 5, 9n, '0x'].map((value) => [value, value])
  expect(values).toEqual([['m', 'n'], ...same, [null, 'p'], [null, null]])
})

test('an update names what it saves, or what it leaves alone', () => {
  expect(assign(coins, ['units', 'block'])).toBe(
    'amount = :units, block_number = :block.number, hash = :block.hash',
  )
  expect(assignAllBut(coins, ['merchant', 'block', 'notes'])).toBe(
    'amount = :units, seen_at = :seenAt, payer = :payer',
  )
})

test('a row is read by the names of its columns, whatever their order, and no amount becomes a number', () => {
  const { read } = statement({ name: 'find-coin', text: 'SELECT 1', reads: coins })()
  const names = ['notes', 'hash', 'amount', 'block_number', 'payer', 'seen_at', 'merchant']
  const columns = names.map((name) => ({ name }))
  expect(read?.([[null, '0x', 2n ** 70n, 9n, null, 5n, 'm']], columns)).toEqual([
    { ...coin, payer: undefined },
  ])
  const turned = [...columns].reverse()
  expect(read?.([['m', 5n, 'p', 9n, 1n, '0x', ['a']]], turned)).toEqual([
    { ...coin, units: 1n, payer: 'p', notes: ['a'] },
  ])
})

test('a statement that does not give a column is found with its first row', () => {
  const { read } = statement({ name: 'find-coin', text: 'SELECT 1', reads: { at: time() } })()
  expect(() => read?.([[1n]], [{ name: 'since' }])).toThrow('find-coin returns no at')
})

test('names that are missing, or too many, do not compile', () => {
  const find = statement({ name: 'find-coin', text: 'SELECT 1 FROM coin WHERE merchant = :merchant' })
  expect(find({ merchant: 'm' }).values).toEqual(['m'])
  // @ts-expect-error a name is missing
  expect(find({}).values).toEqual([null])
  // @ts-expect-error there is no such name
  expect(find({ merchant: 'm', owner: 'o' }).values).toEqual(['m'])
  // @ts-expect-error a property is missing
  expect(table<{ a: string; b: string }>('thing', { a: text() }).columns).toHaveLength(1)
})
