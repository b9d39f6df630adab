import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { findRowTests } from './find-tests.ts'
import { judgeCoverage } from './judge-coverage.ts'

const sections = [{ title: 'Receipt', rows: { 'receipt.id': 'string', 'receipt.total': 'number' } }]
const find = (text: string) => findRowTests(parseSource('a.test.ts', text))
const judge = (text: string, more: typeof sections = []) =>
  judgeCoverage([...sections, ...more], find(text).tests).map(({ rule, line }) => `${rule} ${line}`)

const both = `row('receipt.id', 'is a text', async () => {})\nrow('receipt.total', 'is a number', async () => {})\n`

test('rows with one test each have no fault', () => {
  expect(find(both).tests).toEqual([
    { id: 'receipt.id', name: 'is a text', path: 'a.test.ts', line: 1 },
    { id: 'receipt.total', name: 'is a number', path: 'a.test.ts', line: 2 },
  ])
  expect(judge(both)).toEqual([])
})

test('a row without a test is a fault', () => {
  expect(judge(both.split('\n')[0] ?? '')).toEqual(['untested 1'])
})

test('a test of a row that is not in the list is a fault', () => {
  expect(judge(`${both}row('receipt.sum', 'is a number', async () => {})`)).toEqual(['unknown 3'])
})

test('two tests of a row are a fault, and so is a row that stands twice', () => {
  expect(judge(`${both}row('receipt.id', 'again', async () => {})`)).toEqual(['twice 3'])
  expect(judge(both, sections)).toEqual(['twice 1', 'twice 1'])
})

test('a test that cannot be read is a fault, a comment or a text is none', () => {
  const text =
    "for (const id of ids) row(id, 'is a text', async () => {})\n// row('a', 'b')\nconst a = \"row('a', 'b')\""
  expect(find(text).tests).toEqual([])
  expect(find(text).faults).toMatchObject([{ rule: 'unreadable', line: 1 }])
})
