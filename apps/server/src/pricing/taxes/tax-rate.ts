import { type Cents, divideHalfAway, formatUnits, readDecimal } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import { findCatalogRate, type TaxComponent, type TaxRateE6, taxCatalog } from './catalog.ts'

/** The rate something is taxed at, what it is made of, and who said so. */
export type TaxRate = {
  readonly rate: TaxRateE6
  readonly components: readonly string[]
  readonly from: 'request' | 'merchant' | 'catalog' | 'none'
}

/** A merchant's own rate for a jurisdiction, a fraction with what it is made of; `undefined` where it has none. */
export type FindOwnTaxRate = (
  merchant: Wallet,
  jurisdictionCode: string,
) => Promise<{ readonly rate: number; readonly components: readonly string[] } | undefined>

/**
 * The rate for a jurisdiction: the one of the request, else the merchant's own, else the built-in one.
 *
 * @param request.taxComponents - Descriptive: they stand in for what the rate is made of and change no amount.
 * @throws {Refusal} `invalid_input` for no jurisdiction, one nobody has a rate for where something is taxable, or a rate that is none.
 */
export async function getTaxRate(
  needs: { findOwnRate: FindOwnTaxRate | undefined },
  merchant: Wallet,
  request: {
    readonly jurisdictionCode: string
    readonly taxRate: number | undefined
    readonly taxComponents: readonly string[] | undefined
    /** Whether there is anything to tax: without, no rate is needed. */
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
    const message = 'there is no rate for this jurisdiction; send taxRate, or add the rate to your settings'
    throw invalidInput({ path: 'jurisdictionCode', message })
  }
  const components = taxComponents ?? listed.components.map(describe)
  return { jurisdictionCode, rate: listed.rate, components, from: 'catalog' }
}

/** The tax on `taxable`, half away from zero to the cent. */
export function taxOn(taxable: Cents, rate: TaxRateE6): Cents {
  return divideHalfAway(taxable * rate, 1_000_000n) as Cents
}

/** A rate as a fraction on the wire: 0.0725. */
export function writeTaxRate(rate: TaxRateE6): number {
  return Number(formatUnits(rate, 6))
}

/** @throws {Refusal} `invalid_input` for anything but a fraction from 0 to 1 of at most six decimals. */
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

/**
 * Returns the code of a tax jurisdiction in capitals.
 *
 * @throws {Refusal} `invalid_input` at `path` for what {@link faultOfJurisdiction} finds.
 */
export function parseJurisdiction(text: string, path = 'jurisdictionCode'): string {
  const code = text.toUpperCase()
  const message = faultOfJurisdiction(code)
  if (message !== undefined) throw invalidInput({ path, message })
  return code
}

/**
 * Returns what is wrong with a code in capitals as a jurisdiction, or `undefined`. A country alone names one unless
 * its regions have rates of their own; a region may be any of its country.
 */
export function faultOfJurisdiction(code: string): string | undefined {
  if (!form.test(code)) return 'must have the form <country> or <country>-<region>, for example DE or US-CA'
  const regions = taxCatalog.flatMap((rate) => (rate.code.startsWith(`${code}-`) ? [rate.code] : []))
  return regions.length > 0 ? `must name a region: ${regions.join(', ')}` : undefined
}
