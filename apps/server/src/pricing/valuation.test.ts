import type { Cents, RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../test/support/test-random.ts'
import { identityRate, processingFeeCents, valueReceipt } from './valuation.ts'

const quotedAt = 1_700_000_000_000 as UnixMs
const cents = fc.bigInt(-100_000_000_000n, 100_000_000_000n) as fc.Arbitrary<Cents>
const rates = fc.bigInt(1n, 10n ** 15n) as fc.Arbitrary<RateE8>

function euro(lines: bigint[], usdPerUnit: bigint) {
  const rate = { usdPerUnit: usdPerUnit as RateE8, quotedAt, provider: 'test' }
  return valueReceipt({ currency: 'EUR', lines: lines as Cents[] }, rate)
}

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

function roundedModel(cents: bigint, rate: bigint): bigint {
  const product = (cents < 0n ? -cents : cents) * rate
  const rounded = product / 100_000_000n + (product % 100_000_000n >= 50_000_000n ? 1n : 0n)
  return cents < 0n ? -rounded : rounded
}

test('a euro receipt is valued line by line, and its rate is kept', () => {
  expect(euro([1_000n, 250n], 108_000_000n)).toEqual({
    valuation: { version: 1, currency: 'EUR', usdPerUnit: 108_000_000n, quotedAt, provider: 'test' },
    lines: [1_080n, 270n],
    total: 1_350n,
  })
})

test('the cents that rounding leaves go to the largest line, the first of equals', () => {
  expect(euro([1n, 1n, 1n], 150_000_000n)).toMatchObject({ lines: [1n, 2n, 2n], total: 5n })
  expect(euro([1n, -3n, 3n], 150_000_000n)).toMatchObject({ lines: [2n, -5n, 5n], total: 2n })
  expect(euro([1n, 1n, 3n], 150_000_000n)).toMatchObject({ lines: [2n, 2n, 4n], total: 8n })
})

test('dollars are dollars', () => {
  forAll(fc.array(cents, { minLength: 1 }), (lines) => {
    const value = valueReceipt({ currency: 'USD', lines }, identityRate(quotedAt))
    expect(value.lines).toEqual(lines)
    expect(value.valuation).toMatchObject({ provider: 'identity', usdPerUnit: 100_000_000n, quotedAt })
  })
})

test('lines add up to the total, and only the largest differs from its own conversion', () => {
  fc.assert(
    fc.property(fc.array(cents, { minLength: 1, maxLength: 500 }), rates, (lines, rate) => {
      const value = euro(lines, rate)
      expect(value.total).toBe(roundedModel(sumOf(lines), rate))
      expect(sumOf(value.lines)).toBe(value.total)
      const sizes = lines.map((line) => (line < 0n ? -line : line))
      const largest = sizes.findIndex((size) => sizes.every((other) => other <= size))
      value.lines.forEach((line, i) => {
        if (i !== largest) expect(line).toBe(roundedModel(lines[i] ?? 0n, rate))
      })
    }),
    { numRuns: 300 },
  )
})

test('the fee is rounded half away from zero', () => {
  expect(processingFeeCents(10_000n as Cents, 50n)).toBe(50n)
  expect(processingFeeCents(99n as Cents, 50n)).toBe(0n)
  expect(processingFeeCents(100n as Cents, 50n)).toBe(1n)
  expect(processingFeeCents(12_345n as Cents, 0n)).toBe(0n)
  forAll(cents, fc.bigInt(0n, 2_000n), (total, pct) => {
    expect(processingFeeCents(total, pct)).toBe(roundedModel(total, pct * 10_000n))
  })
})
