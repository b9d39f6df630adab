import type { RateSheet } from './sheet.ts'

/** Standard rates of further countries, each from its own tax authority; any region takes its country's. */
export const countryRates: readonly RateSheet[] = [
  sheet('HM Revenue & Customs, VAT rates', '2025-07-01', 'VAT', ['GB', 'United Kingdom', 20]),
  sheet('Federal Tax Administration, VAT rates from 2024', '2024-01-01', 'VAT', ['CH', 'Switzerland', 8.1]),
  sheet('Norwegian Tax Administration, VAT rates', '2025-01-01', 'MVA', ['NO', 'Norway', 25]),
  sheet('Australian Taxation Office, GST', '2025-07-01', 'GST', ['AU', 'Australia', 10]),
  sheet('Inland Revenue, GST', '2025-07-01', 'GST', ['NZ', 'New Zealand', 15]),
  sheet('National Tax Agency, consumption tax', '2025-07-01', 'Consumption tax', [
    'JP',
    'Japan',
    10,
    [
      ['National consumption tax', 7.8],
      ['Local consumption tax', 2.2],
    ],
  ]),
  sheet('Inland Revenue Authority of Singapore, GST rates from 2024', '2024-01-01', 'GST', [
    'SG',
    'Singapore',
    9,
  ]),
]

function sheet(source: string, date: string, tax: string, row: RateSheet['rows'][number]): RateSheet {
  return { source, date, tax, rows: [row] }
}
