import type { Cents } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../test/support/test-random.ts'
import { ApiError } from '../../kernel/api-error.ts'
import { findCatalogRate, type TaxRateE6, taxCatalog } from './catalog.ts'
import { getTaxRate, taxOn, writeTaxRate } from './tax-rate.ts'

const merchant = '0x0000000000000000000000000000000000000001' as Wallet
const rateOf = (code: string) => {
  const found = findCatalogRate(code)
  return found && writeTaxRate(found.rate)
}

describe('the catalogue', () => {
  test.each([
    ['US-CA', 0.0725],
    ['US-MN', 0.06875],
    ['US-OR', 0],
    ['US-DC', 0.06],
    ['CA-QC', 0.14975],
    ['CA-NS', 0.14],
    ['DE-BE', 0.19],
    ['DE-X', 0.19],
    ['DE', 0.19],
    ['FI-18', 0.255],
    ['GR-A1', 0.24],
    ['EL-A1', 0.24],
    ['GB-ENG', 0.2],
    ['UK-ENG', 0.2],
    ['CH-ZH', 0.081],
    ['NO-03', 0.25],
    ['AU-NSW', 0.1],
    ['NZ-AUK', 0.15],
    ['JP-13', 0.1],
    ['SG-01', 0.09],
  ])('%s is taxed at %d', (code, rate) => expect(rateOf(code)).toBe(rate))

  test.each(['US-PR', 'US-ZZ', 'CA-XX', 'BR-SP', 'ZZ-1', '__-P'])('nobody has a rate for %s', (code) =>
    expect(rateOf(code)).toBeUndefined())

  test('has every state and the capital, province and territory, and all of the European Union', () => {
    const count = (begin: RegExp) => taxCatalog.filter(({ code }) => begin.test(code)).length
    expect([count(/^US-/), count(/^CA-/), count(/^..$/)]).toEqual([51, 13, 27 + 7])
    expect(new Set(taxCatalog.map(({ code }) => code)).size).toBe(taxCatalog.length)
  })

  test('each row names its source and the day, and its components add up to its rate', () => {
    for (const { source, date, components, rate } of taxCatalog) {
      expect(source).not.toBe('')
      expect(date).toMatch(/^20\d\d-[01]\d-[0-3]\d$/)
      expect(components.reduce((sum, component) => sum + component.rate, 0n)).toBe(rate)
    }
  })
})

describe('the rate of an order', () => {
  const own = async () => ({ rate: 0.095, components: ['ours'] })
  const usual = { jurisdictionCode: 'us-ca', taxRate: undefined, taxComponents: undefined, isTaxable: true }
  const ask = (more: object, findOwnRate?: typeof own) =>
    getTaxRate({ findOwnRate }, merchant, { ...usual, ...more })

  test("the request's comes before the merchant's, the merchant's before the catalogue's", async () => {
    expect((await ask({ taxRate: 0.1 }, own)).rate).toBe(100_000n)
    expect(await ask({}, own)).toMatchObject({ rate: 95_000n, components: ['ours'], from: 'merchant' })
    expect(await ask({})).toEqual({
      jurisdictionCode: 'US-CA',
      rate: 72_500n,
      components: ['State sales tax 6%', 'Statewide local tax 1.25%'],
      from: 'catalog',
    })
  })

  test('components of the request are shown and change no amount', async () => {
    expect(await ask({ taxComponents: ['mine'] })).toMatchObject({ rate: 72_500n, components: ['mine'] })
  })

  test.each(
    ['US', 'US-ABCD', 'BR-SP'].map((jurisdictionCode) => ({ jurisdictionCode })),
  )('%o is refused', (more) => expect(ask(more)).rejects.toThrow(ApiError))

  test.each([1.000001, -0.1, 0.0000001, 0.12345678])('a rate of %d is refused', (taxRate) =>
    expect(ask({ taxRate })).rejects.toThrow(ApiError))
})

test('tax is rounded half away from zero, never off by more than half a cent', () => {
  forAll(fc.bigInt(0n, 10n ** 11n), fc.bigInt(0n, 10n ** 6n), (cents, rate) => {
    const tax = taxOn(cents as Cents, rate as TaxRateE6)
    const off = 2n * (tax * 1_000_000n - cents * rate)
    expect(off > -1_000_000n && off <= 1_000_000n).toBe(true)
  })
  expect(taxOn(10n as Cents, 50_000n as TaxRateE6)).toBe(1n)
  expect(taxOn(9n as Cents, 50_000n as TaxRateE6)).toBe(0n)
})
