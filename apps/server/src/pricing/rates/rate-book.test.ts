import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../../test/support/test-random.ts'
import type { RateInput } from './rate.ts'
import { medianRate } from './rate-book.ts'

const now = 1_700_000_000_000 as UnixMs

function input(source: string, usdPerUnit: bigint, ageMs = 0): RateInput {
  return { source, usdPerUnit: usdPerUnit as RateE8, quotedAt: (now - ageMs) as UnixMs }
}

test('the middle of three counts, and the rate is as old as its oldest input', () => {
  const rate = medianRate('ETH', [input('a', 2_010n, 10), input('b', 1_990n, 40), input('c', 2_000n)], now)
  expect(rate).toMatchObject({ code: 'ETH', usdPerUnit: 2_000n, quotedAt: now - 40, provider: 'a+b+c' })
})

test('of two the mean counts, half away from zero', () =>
  expect(medianRate('ETH', [input('a', 1_001n), input('b', 1_002n)], now)?.usdPerUnit).toBe(1_002n))

test.each([
  ['zero', input('bad', 0n)],
  ['negative', input('bad', -2_000n)],
  ['over a minute old', input('bad', 2_000n, 60_001)],
  ['over a minute ahead of the clock', input('bad', 2_000n, -60_001)],
  ['over 2 % from the median', input('bad', 2_041n)],
  ['absurdly high', input('bad', 10n ** 30n)],
])('an input that is %s is not counted', (_, bad) => {
  const rate = medianRate('ETH', [bad, input('a', 2_000n), input('b', 2_000n)], now)
  expect(rate).toMatchObject({ usdPerUnit: 2_000n, provider: 'a+b' })
})

test('two that disagree by more than 4 % leave nothing', () =>
  expect(medianRate('ETH', [input('a', 2_000n), input('b', 2_100n)], now)).toBeUndefined())

test('nothing of nothing', () => {
  expect(medianRate('ETH', [], now)).toBeUndefined()
  expect(medianRate('ETH', [input('a', 0n)], now)).toBeUndefined()
})

test('a fiat rate counts for 36 hours', () => {
  expect(medianRate('EUR', [input('ecb', 108n, 36 * 3_600_000)], now)).toBeDefined()
  expect(medianRate('EUR', [input('ecb', 108n, 36 * 3_600_000 + 1)], now)).toBeUndefined()
})

test('one liar among three honest sources never moves the rate outside what these say', () => {
  const near = fc.bigInt(1_000_000n, 1_005_000n)
  forAll(fc.tuple(near, near, near), fc.bigInt(-(10n ** 12n), 10n ** 12n), (honest, lie) => {
    const inputs = honest.map((value, i) => input(`h${i}`, value))
    const rate = medianRate('ETH', [input('liar', lie), ...inputs], now)
    const sorted = honest.toSorted((a, b) => (a < b ? -1 : 1))
    expect(rate?.usdPerUnit).toBeGreaterThanOrEqual(sorted[0] as bigint)
    expect(rate?.usdPerUnit).toBeLessThanOrEqual(sorted[2] as bigint)
  })
})
