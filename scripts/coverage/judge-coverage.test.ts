import { expect, test } from 'vitest'
import { parseSource } from '../source/parse-source.ts'
import { findRowTests } from './find-tests.ts'
import { judgeCoverage } from './judge-coverage.ts'
import { writeDocument } from './write-document.ts'

const sections = [{ title: 'Receipt', rows: { 'receipt.id': 'string', 'receipt.total': 'number' } }]
const find = (text: string) => findRowTests(parseSource('a.test.ts', text))
const judge = (text: string, more: typeof sections = []) =>
  judgeCoverage([...sections, ...more], find(text).tests).map(({ rule, line }) => `${rule} ${line}`)

const both = `row('receipt.id', 'is a text', async () => {})\nrow('receipt.total', 'is a number', async () => {})\n`

test('rows with one test each have no fault', () => {
  const same = { path: 'a.test.ts', isInner: false, waitsFor: undefined }
  expect(find(both).tests).toEqual([
    { id: 'receipt.id', name: 'is a text', line: 1, ...same },
    { id: 'receipt.total', name: 'is a number', line: 2, ...same },
  ])
  expect(judge(both)).toEqual([])
})

test('a row without a test is a fault', () =>
  expect(judge(both.split('\n')[0] ?? '')).toEqual(['untested 1']))

test('a test of a row that is not in the list is a fault', () =>
  expect(judge(`${both}row('receipt.sum', 'is a number', async () => {})`)).toEqual(['unknown 3']))

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

test('a row whose test goes past HTTP, itself or by what it calls, is counted apart', () => {
  const text = `import { record } from '../../src/split/record.ts'
const paid = async (id) => world.move(id, 'payment_verified')
const state = { paid: () => paid('a') }
row('receipt.id', 'by HTTP', async () => { await world.get('/api/receipts') })
row('receipt.total', 'by hand', async () => { await state.paid() })
row('receipt.sum', 'by a function', async () => { await record() })
row('receipt.tax', 'by the database', async () => { await world.needs.db.run(s) })`
  expect(find(text).tests.map(({ isInner }) => isInner)).toEqual([false, true, true, true])
  for (const before of [
    "beforeAll(async () => { await world.move('a') })",
    "const moved = perFile(() => world.move('a'))",
  ])
    expect(find(`${before}\nrow('receipt.id', 'is', async () => {})`).tests).toMatchObject([
      { isInner: true },
    ])
})

test('the document counts inner doors and waiting rows apart, and says what is waited for', () => {
  const text = `row('receipt.id', 'is a text', async () => { await world.move('a') })
waitingRow('receipt.total', 'a part to come', 'is null', async () => { await world.move('a') })
waitingRow('receipt.tax', 'the card provider', 'is null', async () => { await world.move('a') })`
  const { tests, faults } = find(text)
  expect(faults).toEqual([])
  const document = writeDocument([...sections, { title: 'Tax', rows: { 'receipt.tax': 'number' } }], tests)
  expect(document).toContain('- 0 hold their sentence')
  expect(document).toContain('- 1 reach what they look at **through an inner door**')
  expect(document).toContain(
    '- 2 **wait** for a part that is not built, and are not fulfilled: 1 for a part to come; 1 for the card provider',
  )
  expect(document).toContain('| **inner door**: is a text')
  expect(document).toContain('| **waits** for a part to come; so far: is null')
  expect(document).toContain('| **waits** for the card provider; so far: is null')
})
