import { type Cents, type RateE8, type TokenUnits, tokenUnitsFor } from '@sluice/protocol/money.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../test/support/test-random.ts'
import {
  evaluatePayments,
  excessUnits,
  isEnough,
  missingUnits,
  type Worth,
  worthInCents,
} from './evaluate-payment.ts'

const token = fc.constantFrom(...tokenKinds)
const total = fc.bigInt(1n, 100_000_000_000n).map((value) => value as Cents)
const rate = fc.bigInt(1_000n, 20_000_000_000_000n).map((value) => value as RateE8)

const worth = (token: Worth['token'], dollars: bigint) => (units: bigint) => ({
  token,
  units: units as TokenUnits,
  rate: (dollars * 100_000_000n) as RateE8,
})
const ether = worth({ decimals: 18, isStablecoin: false }, 2_500n)
const usdc = worth({ decimals: 6, isStablecoin: true }, 1n)

describe('what is asked for is enough', () => {
  test('for every total, token and rate, and one unit less of a stablecoin is not', () => {
    forAll(total, token, rate, (cents, kind, quoted) => {
      const units = tokenUnitsFor(cents, quoted, kind.decimals)
      const payment: Worth = { token: kind, units, rate: quoted }
      expect(isEnough(cents, [payment])).toBe(true)
      expect(missingUnits(cents, [payment], { token: kind, rate: quoted })).toBe(0n)
      expect(excessUnits(cents, [payment], { token: kind, rate: quoted })).toBe(0n)
      const less = { ...payment, units: (units - 1n) as TokenUnits }
      if (!kind.isStablecoin) return
      expect(isEnough(cents, [less])).toBe(false)
      expect(missingUnits(cents, [less], less)).toBe(1n)
    })
  })

  test('after part of it came, what is then said to be missing completes it, in any other token and at any rate', () => {
    forAll(
      total,
      fc.array(fc.record({ kind: token, quoted: rate, share: fc.bigInt(1n, 40n) }), { maxLength: 3 }),
      token,
      rate,
      (cents, parts, kind, quoted) => {
        const paid = parts.map((part): Worth => {
          const units = (tokenUnitsFor(cents, part.quoted, part.kind.decimals) * part.share) / 100n
          return { token: part.kind, units: units as TokenUnits, rate: part.quoted }
        })
        const measure = { token: kind, rate: quoted }
        const missing = missingUnits(cents, paid, measure)
        const due = (cents - worthInCents(paid)) as Cents
        const rest: Worth = { ...measure, units: missing }
        expect(isEnough(cents, [...paid, rest])).toBe(true)
        if (due > 0n) expect(missing).toBeLessThanOrEqual(tokenUnitsFor(due, quoted, kind.decimals))
      },
    )
  })
})

test('of other tokens a tenth of a percent may be missing, and not a unit more', () => {
  const asked = 10n ** 18n
  expect(isEnough(250_000n as Cents, [ether((asked * 999n) / 1000n)])).toBe(true)
  expect(isEnough(250_000n as Cents, [ether((asked * 999n) / 1000n - 1n)])).toBe(false)
})

test('the part that stablecoins are to pay has no tolerance', () => {
  // Ten dollars of ether may leave one cent unpaid, but not the dollar that is 0.1 % of the total.
  const paid = [ether(4n * 10n ** 15n), usdc(989_990_000n)]
  expect(isEnough(100_000n as Cents, paid)).toBe(true)
  expect(isEnough(100_000n as Cents, [ether(4n * 10n ** 15n), usdc(989_000_000n)])).toBe(false)
})

test('nothing is never enough', () => {
  expect(isEnough(1n as Cents, [])).toBe(false)
  expect(isEnough(1n as Cents, [usdc(0n)])).toBe(false)
})

test('worth is rounded once, over the sum', () => {
  const third = { ...usdc(3_334n) }
  expect(worthInCents([third, third, third])).toBe(1n)
})

describe('payments in the order of the chain', () => {
  test('the one that completes the total may exceed it; those after it are surplus', () => {
    const [a, b, c] = [usdc(4_000_000n), usdc(9_000_000n), usdc(1_000_000n)]
    const verdict = { credit: [a, b], surplus: [c], isEnough: true }
    expect(evaluatePayments(1_000n as Cents, [], [a, b, c])).toEqual(verdict)
  })

  test('judged one by one or all at once, the same are credited', () => {
    forAll(total, fc.array(fc.bigInt(1n, 60n), { maxLength: 8 }), (cents, shares) => {
      const payments = shares.map((share) => usdc((cents * 10_000n * share) / 100n))
      const atOnce = evaluatePayments(cents, [], payments)
      const credited: Worth[] = []
      const surplus: Worth[] = []
      for (const payment of payments) {
        const verdict = evaluatePayments(cents, credited, [payment])
        credited.push(...verdict.credit)
        surplus.push(...verdict.surplus)
      }
      expect(credited).toEqual(atOnce.credit)
      expect(surplus).toEqual(atOnce.surplus)
      expect(credited.length + surplus.length).toBe(payments.length)
    })
  })

  test('what could not be valued is surplus', () => {
    const unpriced = { ...usdc(5_000_000n), rate: 0n as RateE8 }
    expect(evaluatePayments(500n as Cents, [], [unpriced]).surplus).toEqual([unpriced])
  })
})
