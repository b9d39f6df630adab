import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allot,
  type Bps,
  type Cents,
  divideHalfAway,
  divideUp,
  formatUnits,
  maxCents,
  type RateE8,
  readCents,
  readCentsRounded,
  tokenUnitsFor,
  writeCents,
} from './money.ts'

const cents = fc.bigInt({ min: -maxCents, max: maxCents })
const around = (value: number) => {
  const bits = new BigInt64Array(new Float64Array([value]).buffer)[0] ?? 0n
  return [bits - 1n, bits, bits + 1n].map((each) => new Float64Array(new BigInt64Array([each]).buffer)[0])
}
const isNoAmount = (read: unknown) =>
  read === 'too-many-decimals' || read === 'too-large' || read === 'not-finite'
const holds = <A>(of: fc.Arbitrary<A>, check: (value: A) => void) =>
  fc.assert(fc.property(of, (value) => void check(value)))

describe('cents on the wire', () => {
  test('an amount is read to the very cent, and the doubles beside it are none', () => {
    holds(cents, (amount) => {
      const [low = 0, exact = 0, high = 0] = around(Number(amount) / 100)
      expect(readCents(exact)).toBe(amount)
      for (const other of [low, high]) expect(readCents(other)).toSatisfy(isNoAmount)
    })
  })

  test('reading undoes writing for every amount within the limit', () => {
    holds(cents, (amount) => expect(readCents(writeCents(amount as Cents))).toBe(amount))
  })

  test.each([
    [0.3, 30n],
    [-0.01, -1n],
    [1e9, 100_000_000_000n],
    [0, 0n],
    [-0, 0n],
    [1e-7 * 1e7, 100n],
  ])('%d is %d cents', (value, expected) => expect(readCents(value)).toBe(expected))

  test.each([
    [0.1 + 0.2, 'too-many-decimals'],
    [0.001, 'too-many-decimals'],
    [1e-7, 'too-many-decimals'],
    [1_000_000_000.01, 'too-large'],
    [1e300, 'too-large'],
    [Number.NaN, 'not-finite'],
    [Number.POSITIVE_INFINITY, 'not-finite'],
    ['1', 'not-a-number'],
    [null, 'not-a-number'],
    [true, 'not-a-number'],
  ])('%s is %s', (value, error) => expect(readCents(value)).toBe(error))
})

describe('legacy prices', () => {
  test.each([
    [0.1 + 0.2, 30n],
    [1.005, 101n],
    [-1.005, -101n],
    [0.004999, 0n],
    [1e-7, 0n],
    [5e-324, 0n],
    [2.675, 268n],
  ])('%d rounds half away from zero to %d cents', (value, expected) =>
    expect(readCentsRounded(value)).toBe(expected))

  test('an amount of two decimals is never changed', () => {
    holds(cents, (amount) => expect(readCentsRounded(writeCents(amount as Cents))).toBe(amount))
  })
})

describe('division', () => {
  test('half away from zero is symmetric and at most half a unit off', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: 1n, max: 10n ** 12n }), (dividend, divisor) => {
        const result = divideHalfAway(dividend, divisor)
        expect(divideHalfAway(-dividend, divisor)).toBe(-result)
        const off = result * divisor - dividend
        expect(2n * (off < 0n ? -off : off) <= divisor).toBe(true)
      }),
    )
  })

  test('a token amount is the fewest units worth at least what is asked', () => {
    const rate = fc.bigInt({ min: 1n, max: 10n ** 15n })
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: maxCents }),
        rate,
        fc.constantFrom(6, 8, 18),
        (due, usd, decimals) => {
          const units = tokenUnitsFor(due as Cents, usd as RateE8, decimals)
          const worth = (amount: bigint) => amount * usd
          const asked = due * 10n ** BigInt(decimals + 6)
          expect(worth(units) >= asked).toBe(true)
          expect(worth(units - 1n) < asked).toBe(true)
        },
      ),
    )
  })

  test('rounding up never falls short', () => {
    expect(divideUp(0n, 3n)).toBe(0n)
    expect(divideUp(1n, 3n)).toBe(1n)
    expect(divideUp(3n, 3n)).toBe(1n)
  })
})

describe('allotting', () => {
  test('the parts add up to the total, whatever the shares', () => {
    const shares = fc
      .array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 19 })
      .map((parts) => [...parts, 10_000 - parts.reduce((sum, part) => sum + part, 0)])
      .filter((parts) => parts.every((part) => part > 0))
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), shares, (total, parts) => {
        const given = allot(total, parts as Bps[])
        expect(given.reduce((sum, part) => sum + part, 0n)).toBe(total)
        expect(given.every((part) => part >= 0n)).toBe(true)
      }),
    )
  })
})

test('units are written without trailing zeros and with their sign', () => {
  expect(formatUnits(1_500_000n, 6)).toBe('1.5')
  expect(formatUnits(-1n, 2)).toBe('-0.01')
  expect(formatUnits(100n, 0)).toBe('100')
  expect(formatUnits(0n, 18)).toBe('0')
})
