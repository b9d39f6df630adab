import { readDecimal } from '@sluice/protocol/money.ts'
import { assert } from '../../kernel/assert.ts'
import { canadianRates, countryRates, europeanRates, type RateSheet } from './countries.ts'
import { americanRates } from './united-states.ts'

/** Fraction in millionths: `72500n` is 7.25 %. */
export type TaxRateE6 = bigint & { readonly [unit]: 'TaxRateE6' }

declare const unit: unique symbol

export type TaxComponent = { readonly name: string; readonly rate: TaxRateE6 }

/** Built-in rate of a jurisdiction, with the source and the date of the figure. */
export type CatalogRate = {
  readonly code: string
  readonly name: string
  readonly rate: TaxRateE6
  /** Components, which add up to `rate`. */
  readonly components: readonly TaxComponent[]
  readonly source: string
  readonly date: string
}

/** Alternative country codes (the European Commission's, and the everyday one), mapped to ISO 3166. */
const otherNames: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' }

/** All built-in rates, sorted by code. */
export const taxCatalog: readonly CatalogRate[] = [
  americanRates,
  canadianRates,
  europeanRates,
  ...countryRates,
]
  .flatMap(readSheet)
  .sort((a, b) => (a.code < b.code ? -1 : 1))

const byCode = new Map(taxCatalog.map((rate) => [rate.code, rate]))

/** Returns the built-in rate of a region, or of its country. */
export function findCatalogRate(jurisdictionCode: string): CatalogRate | undefined {
  const [country = '', region = ''] = jurisdictionCode.split('-')
  const code = otherNames[country] ?? country
  return byCode.get(`${code}-${region}`) ?? byCode.get(code)
}

function readSheet(sheet: RateSheet): CatalogRate[] {
  return sheet.rows.map(([code, name, percent, parts]) => {
    const rate = fromPercent(percent)
    const components = (parts ?? [[sheet.tax, percent] as const]).map(([part, partPercent]) => ({
      name: part,
      rate: fromPercent(partPercent),
    }))
    const sum = components.reduce((total, component) => total + component.rate, 0n)
    assert(sum === rate, `the components of ${code} add up to its rate`)
    return { code, name, rate, components, source: sheet.source, date: sheet.date }
  })
}

function fromPercent(percent: number): TaxRateE6 {
  const rate = readDecimal(percent, 4)
  assert(typeof rate === 'bigint', `${percent} % has at most four decimals`)
  return rate as TaxRateE6
}
