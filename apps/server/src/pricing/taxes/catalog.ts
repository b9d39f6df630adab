import { readDecimal } from '@sluice/protocol/money.ts'
import { assert } from '../../kernel/assert.ts'
import { canadianRates, countryRates, europeanRates, type RateSheet } from './countries.ts'
import { americanRates } from './united-states.ts'

/** A fraction in millionths: `72500n` is 7.25 %. */
export type TaxRateE6 = bigint & { readonly [unit]: 'TaxRateE6' }

declare const unit: unique symbol

/** A part of a rate that has a name of its own. */
export type TaxComponent = { readonly name: string; readonly rate: TaxRateE6 }

/** The general rate of a jurisdiction, with where it stands and the day on which it was read there. */
export type CatalogRate = {
  /** `US-CA`; a country alone where all its regions have one rate. */
  readonly code: string
  readonly name: string
  readonly rate: TaxRateE6
  /** Add up to `rate`. */
  readonly components: readonly TaxComponent[]
  readonly source: string
  /** ISO date. */
  readonly date: string
}

/** Other names of countries (the European Commission's own, and the everyday one) by their ISO 3166 code. */
const otherNames: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' }

/** The built-in rates, in the order of their codes. */
export const taxCatalog: readonly CatalogRate[] = [
  americanRates,
  canadianRates,
  europeanRates,
  ...countryRates,
]
  .flatMap(readSheet)
  .sort((a, b) => (a.code < b.code ? -1 : 1))

const byCode = new Map(taxCatalog.map((rate) => [rate.code, rate]))

/** The built-in rate of a country or of a region: the region's own, or its country's. */
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
