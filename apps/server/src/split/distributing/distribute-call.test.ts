import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import { describe, expect, test } from 'vitest'
import { isWorthDistributing } from './distribute-call.ts'

// A split with two recipients uses 90,000 gas. At 1 gwei and $2,500 per ETH, that costs $0.225, which is 5%
// of $4.50.
const facts = {
  waitedMs: 0,
  recipientCount: 2,
  failedCount: 0,
  isNativeToken: false,
  maxFeePerGas: 10n ** 9n,
  dataFee: 0n,
  units: 4_500_000n as TokenUnits,
  decimals: 6,
  tokenRate: 100_000_000n as RateE8,
  etherRate: 250_000_000_000n as RateE8,
}

describe('a distribution', () => {
  test('is worth it from the amount of which the gas is 5 %, to the base unit', () => {
    expect(isWorthDistributing(facts)).toBe(true)
    expect(isWorthDistributing({ ...facts, units: 4_499_999n as TokenUnits })).toBe(false)
  })

  test('has to be worth its data on the chain below as well', () => {
    const dataFee = 90_000n * 10n ** 9n // same amount as the gas cost
    expect(isWorthDistributing({ ...facts, dataFee })).toBe(false)
    expect(isWorthDistributing({ ...facts, dataFee, units: 9_000_000n as TokenUnits })).toBe(true)
  })

  test('has to be worth what recipients cost that failed the last time', () => {
    // One additional push of 180,000 gas raises the fee by $0.45, which is 5% of $9.
    expect(isWorthDistributing({ ...facts, failedCount: 1 })).toBe(false)
    expect(isWorthDistributing({ ...facts, failedCount: 1, units: 13_499_999n as TokenUnits })).toBe(false)
    expect(isWorthDistributing({ ...facts, failedCount: 1, units: 13_500_000n as TokenUnits })).toBe(true)
  })

  test('is made after a day from the amount that it costs, and never below', () => {
    const old = { ...facts, units: 225_000n as TokenUnits, waitedMs: 86_400_000 }
    expect(isWorthDistributing(old)).toBe(true)
    expect(isWorthDistributing({ ...old, waitedMs: 86_399_999 })).toBe(false)
    expect(isWorthDistributing({ ...old, units: 224_999n as TokenUnits })).toBe(false)
    expect(isWorthDistributing({ ...old, failedCount: 1 })).toBe(false)
  })

  test('of coin is judged in coin, whatever the rates', () => {
    const units = (20n * 90_000n * 10n ** 9n) as TokenUnits
    const unrated = { ...facts, tokenRate: undefined, etherRate: undefined }
    const coin = { ...unrated, isNativeToken: true, decimals: 18, units }
    expect(isWorthDistributing(coin)).toBe(true)
    expect(isWorthDistributing({ ...coin, units: (coin.units - 1n) as TokenUnits })).toBe(false)
    expect(isWorthDistributing({ ...coin, units: 1n as TokenUnits, waitedMs: 86_400_000 })).toBe(false)
  })

  test('is made after a day where no rate says what it is worth', () => {
    const old = { ...facts, units: 1n as TokenUnits, waitedMs: 86_400_000, etherRate: undefined }
    expect(isWorthDistributing(old)).toBe(true)
    expect(isWorthDistributing({ ...old, waitedMs: 86_399_999 })).toBe(false)
  })
})
