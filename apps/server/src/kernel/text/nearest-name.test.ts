import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const known = ['limit', 'cursor', 'receiptId', 'priceMin', 'priceMax', 'q']

test.each([
  ['limt', 'limit'],
  ['Limit', 'limit'],
  ['receipt_id', 'receiptId'],
  ['receiptid', 'receiptId'],
  ['priceMim', 'priceMin'],
  ['cusror', 'cursor'],
  ['Q', 'q'],
])('%s is taken for %s', (text, name) => expect(nearestName(text, known)).toBe(name))

test('what is like none of them is taken for none', () => {
  for (const text of ['', 'page', 'offset', 'x'.repeat(10_000)])
    expect(nearestName(text, known), text.slice(0, 20)).toBeUndefined()
})
