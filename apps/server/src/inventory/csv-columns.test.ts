import { expect, test } from 'vitest'
import { writeText } from '../kernel/text/csv.ts'
import { readText } from './csv-columns.ts'

const texts = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '\rx',
  "'=1",
  "''=1",
  "'tis",
  "'",
  '',
  'Tea',
  ' =1',
  "x'=1",
]

test('what a spreadsheet would take for a formula is written as a text', () => {
  for (const text of texts) expect(writeText(text), JSON.stringify(text)).not.toMatch(/^[=+\-@\t\r\n]/)
})

test('every text is read as it was written', () => {
  for (const text of texts) expect(readText(writeText(text)), JSON.stringify(text)).toBe(text)
})

test('an apostrophe that stands before anything else stays', () =>
  expect([readText("'tis"), readText("'"), readText("'Tea")]).toEqual(["'tis", "'", "'Tea"]))
