import {
  type Cents,
  formatUnits,
  type RateE8,
  type TokenUnits,
  tokenUnitsFor,
} from '@sluice/protocol/money.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  askedUnits,
  excessUnits,
  isEnough,
  missingUnits,
  typeableUnits,
  type Worth,
  worthInCents,
  worthOfUnits,
} from './evaluate-payment.ts'

const token = fc.constantFrom(...tokenKinds)
const total = fc.bigInt(1n, 100_000_000_000n).map((value) => value as Cents)
const rate = fc.bigInt(1_000n, 20_000_000_000_000n).map((value) => value as RateE8)
const ether = { decimals: 18, isStablecoin: false }
const at = (dollars: bigint) => ({ token: ether, rate: (dollars * 100_000_000n) as RateE8 })
const typed = (units: bigint, dollars = 2_500n) =>
  formatUnits(typeableUnits(units as TokenUnits, at(dollars)), 18)

describe('an amount that people can type', () => {
  test('of a token of eighteen decimals has six, rounded up', () => {
    expect(typed(8_333_333_333_333_334n)).toBe('0.008334')
    expect(typed(8_333_000_000_000_000n)).toBe('0.008333')
    expect(typed(8_333_000_000_000_001n)).toBe('0.008334')
    expect(typed(41_500_000_000_000_000_001n)).toBe('41.500001')
    expect(typed(0n)).toBe('0')
  })

  test('that six decimals would make many times as large keeps six digits', () => {
    expect(typed(123_456_789n)).toBe('0.000000000123457')
    expect(typed(999_999_900n)).toBe('0.000000001')
    expect(typed(12n)).toBe('0.000000000000000012')
  })

  test('has as many decimals more as it takes for the rounding to be less than a cent', () => {
    expect(typed(8_333_333_333_333_334n, 9_999n)).toBe('0.008334')
    expect(typed(8_333_333_333_333_334n, 10_000n)).toBe('0.0083334')
  })

  test('of a token of few decimals stays what it is', () => {
    for (const kind of tokenKinds.filter(({ decimals }) => decimals <= 8))
      expect(typeableUnits(12_345_678n as TokenUnits, { token: kind, rate: at(60_000n).rate })).toBe(
        12_345_678n,
      )
  })
})

describe('what is asked for', () => {
  test('is enough, never a cent too much, and what is beyond the due is the excess', () => {
    fc.assert(
      fc.property(total, token, rate, (cents, kind, quoted) => {
        const measure = { token: kind, rate: quoted }
        const exact = tokenUnitsFor(cents, quoted, kind.decimals)
        const payment: Worth = { ...measure, units: askedUnits(cents, [], measure) }
        expect(payment.units).toBe(typeableUnits(exact, measure))
        expect(isEnough(cents, [payment])).toBe(true)
        const beyond = payment.units - exact
        expect(excessUnits(cents, [payment], measure)).toBe(beyond)
        expect(worthOfUnits(beyond as TokenUnits, measure)).toBe(0n)
        if (kind.decimals <= 8) expect(beyond).toBe(0n)
        else expect(worthInCents([payment])).toBe(cents)
      }),
    )
  })

  test('after a part came completes it, and can be typed too', () => {
    fc.assert(
      fc.property(total, rate, fc.bigInt(1n, 99n), (cents, quoted, share) => {
        const measure = { token: ether, rate: quoted }
        const part: Worth = {
          ...measure,
          units: ((askedUnits(cents, [], measure) * share) / 100n) as TokenUnits,
        }
        const rest: Worth = { ...measure, units: askedUnits(cents, [part], measure) }
        expect(rest.units).toBeGreaterThanOrEqual(missingUnits(cents, [part], measure))
        expect(isEnough(cents, [part, rest])).toBe(true)
        expect(worthInCents([part, rest])).toBe(cents)
        const digits = rest.units.toString().replace(/0+$/, '').length
        const decimals = formatUnits(rest.units, 18).split('.')[1]?.length ?? 0
        expect(decimals <= 8 || digits <= 6).toBe(true)
      }),
    )
  })
})
