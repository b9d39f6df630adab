/**
 * Standard rates of further countries, each from its tax authority. Each rate applies to every region of its
 * country.
 */
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

export type RateSheet = {
  readonly source: string
  readonly date: string
  readonly tax: string
  readonly rows: readonly RateRow[]
}

type RateRow = readonly [
  code: string,
  name: string,
  percent: number,
  parts?: readonly (readonly [name: string, percent: number])[],
]

export const canadianRates: RateSheet = {
  source: 'Canada Revenue Agency, GST/HST calculator (and rates); PST and QST: the provinces',
  date: '2025-04-01',
  tax: 'GST',
  rows: [
    ['CA-AB', 'Alberta', 5],
    ['CA-BC', 'British Columbia', 12, withProvince('PST', 7)],
    ['CA-MB', 'Manitoba', 12, withProvince('RST', 7)],
    ['CA-NB', 'New Brunswick', 15, [['HST', 15]]],
    ['CA-NL', 'Newfoundland and Labrador', 15, [['HST', 15]]],
    ['CA-NS', 'Nova Scotia', 14, [['HST', 14]]],
    ['CA-NT', 'Northwest Territories', 5],
    ['CA-NU', 'Nunavut', 5],
    ['CA-ON', 'Ontario', 13, [['HST', 13]]],
    ['CA-PE', 'Prince Edward Island', 15, [['HST', 15]]],
    ['CA-QC', 'Quebec', 14.975, withProvince('QST', 9.975)],
    ['CA-SK', 'Saskatchewan', 11, withProvince('PST', 6)],
    ['CA-YT', 'Yukon', 5],
  ],
}

function withProvince(name: string, percent: number) {
  return [['GST', 5] as const, [name, percent] as const]
}

/** Standard rates of the European Union's member states. Each rate applies to every region of its country. */
export const europeanRates: RateSheet = {
  source: 'European Commission, Taxes in Europe Database, standard rates of VAT',
  date: '2025-08-01',
  tax: 'VAT',
  rows: [
    ['AT', 'Austria', 20],
    ['BE', 'Belgium', 21],
    ['BG', 'Bulgaria', 20],
    ['CY', 'Cyprus', 19],
    ['CZ', 'Czechia', 21],
    ['DE', 'Germany', 19],
    ['DK', 'Denmark', 25],
    ['EE', 'Estonia', 24],
    ['ES', 'Spain', 21],
    ['FI', 'Finland', 25.5],
    ['FR', 'France', 20],
    ['GR', 'Greece', 24],
    ['HR', 'Croatia', 25],
    ['HU', 'Hungary', 27],
    ['IE', 'Ireland', 23],
    ['IT', 'Italy', 22],
    ['LT', 'Lithuania', 21],
    ['LU', 'Luxembourg', 17],
    ['LV', 'Latvia', 21],
    ['MT', 'Malta', 18],
    ['NL', 'Netherlands', 21],
    ['PL', 'Poland', 23],
    ['PT', 'Portugal', 23],
    ['RO', 'Romania', 21],
    ['SE', 'Sweden', 25],
    ['SI', 'Slovenia', 22],
    ['SK', 'Slovakia', 23],
  ],
}
