import { type Cents, divideHalfAway, formatUnits, readDecimal } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput } from '../../kernel/api-error.ts'
import { findCatalogRate, type TaxComponent, type TaxRateE6, taxCatalog } from './catalog.ts'

/** Rate with its origin. `none`: nothing is taxable, so no rate is needed. */
export type TaxRate = {
  readonly rate: TaxRateE6
  readonly components: readonly string[]
  readonly from: 'request' | 'merchant' | 'catalog' | 'none'
}

/** Returns a merchant's own rate as a fraction, or `undefined` if there is none. */
export type FindOwnTaxRate = (
  merchant: Wallet,
  jurisdictionCode: string,
) => Promise<{ readonly rate: number; readonly components: readonly string[] } | undefined>

/**
 * Returns the rate of a jurisdiction: the request's, else the merchant's own, else the built-in rate.
 *
 * See docs/contract.md#tax.
 *
 * @param request.taxComponents - Descriptive. Replaces the component names and changes no amount.
 * @throws {ApiError} `invalid_input` for an invalid jurisdiction or rate, or if a taxable request has no rate.
 */
export async function getTaxRate(
  needs: { findOwnRate: FindOwnTaxRate | undefined },
  merchant: Wallet,
  request: {
    readonly jurisdictionCode: string
    readonly taxRate: number | undefined
    readonly taxComponents: readonly string[] | undefined
    readonly isTaxable: boolean
  },
): Promise<TaxRate & { readonly jurisdictionCode: string }> {
  const jurisdictionCode = parseJurisdiction(request.jurisdictionCode)
  const { taxComponents } = request
  if (request.taxRate !== undefined) {
    const rate = parseTaxRate(request.taxRate)
    return { jurisdictionCode, rate, components: taxComponents ?? [], from: 'request' }
  }
  const own = await needs.findOwnRate?.(merchant, jurisdictionCode)
  if (own) {
    const rate = parseTaxRate(own.rate)
    return { jurisdictionCode, rate, components: taxComponents ?? own.components, from: 'merchant' }
  }
  const listed = findCatalogRate(jurisdictionCode)
  if (!listed) {
    if (!request.isTaxable) {
      const components = taxComponents ?? []
      return { jurisdictionCode, rate: 0n as TaxRateE6, components, from: 'none' }
    }
    const message = 'has no known rate; send taxRate, or add the rate to your settings'
    throw invalidInput({ path: 'jurisdictionCode', message })
  }
  const components = taxComponents ?? listed.components.map(describe)
  return { jurisdictionCode, rate: listed.rate, components, from: 'catalog' }
}

/** Returns the tax on `taxable`, rounded half away from zero to the cent. */
export function taxOn(taxable: Cents, rate: TaxRateE6): Cents {
  return divideHalfAway(taxable * rate, 1_000_000n) as Cents
}

/** Returns the rate as a fraction for the wire: 0.0725 is 7.25 %. */
export function writeTaxRate(rate: TaxRateE6): number {
  return Number(formatUnits(rate, 6))
}

/** @throws {ApiError} `invalid_input` unless the value is a fraction from 0 to 1 with at most six decimals. */
export function parseTaxRate(value: number): TaxRateE6 {
  const rate = readDecimal(value, 6)
  if (typeof rate === 'bigint' && rate >= 0n && rate <= 1_000_000n) return rate as TaxRateE6
  throw invalidInput({
    path: 'taxRate',
    message: 'must be a fraction from 0 to 1 with at most six decimals, for example 0.095',
  })
}

function describe({ name, rate }: TaxComponent): string {
  return `${name} ${formatUnits(rate, 4)}%`
}

const form = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/

/** Returns the code in capitals. */
export function parseJurisdiction(text: string, path = 'jurisdictionCode'): string {
  const code = text.toUpperCase()
  const message = errorOfJurisdiction(code)
  if (message !== undefined) throw invalidInput({ path, message })
  return code
}

/**
 * Returns the error of a jurisdiction code in capitals, or `undefined`. A country code is invalid if its
 * regions have their own rates. Any region of a known country is valid.
 */
export function errorOfJurisdiction(code: string): string | undefined {
  if (!form.test(code)) return 'must have the form <country> or <country>-<region>, for example DE or US-CA'
  const regions = taxCatalog.flatMap((rate) => (rate.code.startsWith(`${code}-`) ? [rate.code] : []))
  return regions.length > 0 ? `must name a region: ${regions.join(', ')}` : undefined
}
