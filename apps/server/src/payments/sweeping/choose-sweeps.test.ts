import type { RateE8 } from '@sluice/protocol/money.ts'
import { describe, expect, test } from 'vitest'
import { chooseSweeps, sweepsPerTransaction, worthInNativeToken } from './choose-sweeps.ts'

const costs = { perTransaction: 30n, perSweep: 60n }
const of = (...worths: (bigint | undefined)[]) => worths.map((worth) => ({ worth, waitedMs: 0 }))
const chosen = (...worths: (bigint | undefined)[]) =>
  chooseSweeps(of(...worths), costs).map(({ worth }) => worth)

describe('a sweep', () => {
  test('alone has to be worth the whole transaction, to the unit', () => {
    expect(chosen(90n)).toEqual([90n])
    expect(chosen(89n)).toEqual([])
    expect(chosen()).toEqual([])
  })

  test('goes with others that pay for the transaction, as long as it pays for itself', () => {
    expect(chosen(60n, 1_000n, 59n)).toEqual([1_000n, 60n])
    expect(chosen(75n, 75n)).toEqual([75n, 75n])
    expect(chosen(74n, 75n)).toEqual([])
  })

  test('does not begin a transaction of its own beyond what one takes', () => {
    const large = Array.from({ length: sweepsPerTransaction }, () => 1_000n)
    expect(chosen(61n, ...large)).toEqual(large)
    expect(chosen(90n, ...large)).toEqual([...large, 90n])
  })

  test('of unknown worth is made after a day', () => {
    expect(chosen(undefined)).toEqual([])
    const old = { worth: undefined, waitedMs: 86_400_000 }
    expect(chooseSweeps([old], costs)).toEqual([old])
    expect(chooseSweeps([{ ...old, waitedMs: 86_399_999 }], costs)).toEqual([])
  })
})

test('what money is worth follows from both rates, and from none where one is missing', () => {
  const [dollar, ether] = [100_000_000n as RateE8, 250_000_000_000n as RateE8]
  expect(worthInNativeToken(2_500_000_000n, 6, { token: dollar, coin: ether })).toBe(10n ** 18n)
  expect(worthInNativeToken(10n ** 18n, 18, { token: ether, coin: ether })).toBe(10n ** 18n)
  expect(worthInNativeToken(1n, 6, { token: undefined, coin: ether })).toBeUndefined()
  expect(worthInNativeToken(1n, 6, { token: dollar, coin: undefined })).toBeUndefined()
})
