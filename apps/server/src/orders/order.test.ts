import type { Cents } from '@sluice/protocol/money.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TaxRateE6 } from '../pricing/taxes/catalog.ts'
import { itemCents, type OrderItem, totalOrder } from './order.ts'

const item = fc.record({
  productId: fc.string(),
  sku: fc.string(),
  name: fc.string(),
  qty: fc.bigInt(1n, 10_000n),
  unitCents: fc.bigInt(0n, 10_000_000n).map((cents) => cents as Cents),
  taxable: fc.boolean(),
})

function model(items: readonly OrderItem[], rate: bigint) {
  let subtotal = 0n
  let tax = 0n
  for (const { qty, unitCents, taxable } of items) {
    subtotal += qty * unitCents * 1_000_000n
    if (taxable) tax += qty * unitCents * rate
  }
  return { subtotal, tax }
}

test('subtotal and tax add up to the total, and only the tax is rounded, once, by half a cent at most', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 30 }), fc.bigInt(0n, 1_000_000n), (items, rate) => {
      const totals = totalOrder(items, rate as TaxRateE6)
      const exact = model(items, rate)
      expect(totals.subtotalCents * 1_000_000n).toBe(exact.subtotal)
      expect(totals.subtotalCents + totals.taxCents).toBe(totals.totalCents)
      const off = 2n * (totals.taxCents * 1_000_000n - exact.tax)
      expect(off > -1_000_000n && off <= 1_000_000n).toBe(true)
      expect(items.reduce((sum, each) => sum + itemCents(each), 0n)).toBe(totals.subtotalCents)
    }),
    { numRuns: 2_000 },
  )
})

test('three times 19.99 at 9.5 % is 59.97 and 5.70', () => {
  const items = [
    { productId: 'p', sku: 's', name: 'n', qty: 3n, unitCents: 1999n as Cents, taxable: true },
    { productId: 'q', sku: 't', name: 'm', qty: 1n, unitCents: 100n as Cents, taxable: false },
  ]
  const totals = { subtotalCents: 6097n, taxableCents: 5997n, taxCents: 570n, totalCents: 6667n }
  expect(totalOrder(items, 95_000n as TaxRateE6)).toEqual(totals)
})
