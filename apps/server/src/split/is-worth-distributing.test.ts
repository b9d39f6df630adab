import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import { describe, expect, test } from 'vitest'
import { isWorthDistributing } from './is-worth-distributing.ts'

// 2 recipients cost 90,000 gas: at 1 gwei and 2,500 dollars an ether that is 0.225 dollars, 5 % of 4.50.
const facts = {
  waitedMs: 0,
  recipientCount: 2,
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
    const dataFee = 90_000n * 10n ** 9n // as much again as the gas
    expect(isWorthDistributing({ ...facts, dataFee })).toBe(false)
    expect(isWorthDistributing({ ...facts, dataFee, units: 9_000_000n as TokenUnits })).toBe(true)
  })

  test('is made after a day however little it is, rates or none', () => {
    const old = { ...facts, units: 1n as TokenUnits, waitedMs: 86_400_000, etherRate: undefined }
    expect(isWorthDistributing(old)).toBe(true)
    expect(isWorthDistributing({ ...old, waitedMs: 86_399_999 })).toBe(false)
  })
})
