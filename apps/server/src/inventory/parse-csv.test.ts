import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../test/support/test-random.ts'
import { writeCell } from '../kernel/text/csv.ts'
import { parseCsv } from './parse-csv.ts'

test('what was written is read again as it was, whatever it holds', () => {
  const sign = fc.constantFrom('a', 'ß', '😀', ' ', ',', '"', '\n', '\r\n', '\r', ';', '\uFEFF', '')
  const cell = fc.array(sign, { maxLength: 12 }).map((signs) => signs.join(''))
  const row = fc.array(cell, { minLength: 2, maxLength: 5 })
  forAll(fc.array(row, { minLength: 1, maxLength: 5 }), fc.constantFrom('\n', '\r\n'), (rows, end) => {
    const text = rows.map((cells) => cells.map(writeCell).join(',') + end).join('')
    expect([...parseCsv(text)].map(({ cells }) => cells)).toEqual(rows)
  })
})

test('records know the line they begin on, also after cells of several lines', () => {
  expect([...parseCsv('\uFEFFa,b\r\n"1\n2",x\n\n\n3,"""q"""')]).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1\n2', 'x'] },
    { line: 6, cells: ['3', '"q"'] },
  ])
})

test('a quote within a cell that does not begin with one is an ordinary sign', () =>
  expect([...parseCsv('5" pipe,x')]).toEqual([{ line: 1, cells: ['5" pipe', 'x'] }]))

test.each([
  ['a,b\n"c,d', 2],
  ['a,b\n"c"d,e', 2],
])('%j is no CSV', (text, line) =>
  expect(() => [...parseCsv(text)]).toThrow(expect.objectContaining({ line })))

test('a last cell that is empty counts, and an empty file has no records', () => {
  expect([...parseCsv('a,\n,b')]).toEqual([
    { line: 1, cells: ['a', ''] },
    { line: 2, cells: ['', 'b'] },
  ])
  expect([...parseCsv('')]).toEqual([])
})
