import type { RateSheet } from './sheet.ts'

/** The federal tax together with each province's own, harmonised or beside it. */
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
