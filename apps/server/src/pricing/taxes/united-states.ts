import type { RateSheet } from './countries.ts'

/**
 * General sales tax rates of the states and the District of Columbia, including statewide local taxes.
 * Excludes county and city taxes.
 */
export const americanRates: RateSheet = {
  source: 'Tax Foundation, State and Local Sales Tax Rates, Midyear 2025, state tax rates',
  date: '2025-07-01',
  tax: 'State sales tax',
  rows: [
    ['US-AL', 'Alabama', 4],
    ['US-AK', 'Alaska', 0],
    ['US-AZ', 'Arizona', 5.6],
    ['US-AR', 'Arkansas', 6.5],
    ['US-CA', 'California', 7.25, withLocal(6, 1.25)],
    ['US-CO', 'Colorado', 2.9],
    ['US-CT', 'Connecticut', 6.35],
    ['US-DC', 'District of Columbia', 6],
    ['US-DE', 'Delaware', 0],
    ['US-FL', 'Florida', 6],
    ['US-GA', 'Georgia', 4],
    ['US-HI', 'Hawaii', 4],
    ['US-ID', 'Idaho', 6],
    ['US-IL', 'Illinois', 6.25],
    ['US-IN', 'Indiana', 7],
    ['US-IA', 'Iowa', 6],
    ['US-KS', 'Kansas', 6.5],
    ['US-KY', 'Kentucky', 6],
    ['US-LA', 'Louisiana', 5],
    ['US-ME', 'Maine', 5.5],
    ['US-MD', 'Maryland', 6],
    ['US-MA', 'Massachusetts', 6.25],
    ['US-MI', 'Michigan', 6],
    ['US-MN', 'Minnesota', 6.875],
    ['US-MS', 'Mississippi', 7],
    ['US-MO', 'Missouri', 4.225],
    ['US-MT', 'Montana', 0],
    ['US-NE', 'Nebraska', 5.5],
    ['US-NV', 'Nevada', 6.85],
    ['US-NH', 'New Hampshire', 0],
    ['US-NJ', 'New Jersey', 6.625],
    ['US-NM', 'New Mexico', 4.875],
    ['US-NY', 'New York', 4],
    ['US-NC', 'North Carolina', 4.75],
    ['US-ND', 'North Dakota', 5],
    ['US-OH', 'Ohio', 5.75],
    ['US-OK', 'Oklahoma', 4.5],
    ['US-OR', 'Oregon', 0],
    ['US-PA', 'Pennsylvania', 6],
    ['US-RI', 'Rhode Island', 7],
    ['US-SC', 'South Carolina', 6],
    ['US-SD', 'South Dakota', 4.2],
    ['US-TN', 'Tennessee', 7],
    ['US-TX', 'Texas', 6.25],
    ['US-UT', 'Utah', 6.1, withLocal(4.85, 1.25)],
    ['US-VT', 'Vermont', 6],
    ['US-VA', 'Virginia', 5.3, withLocal(4.3, 1)],
    ['US-WA', 'Washington', 6.5],
    ['US-WV', 'West Virginia', 6],
    ['US-WI', 'Wisconsin', 5],
    ['US-WY', 'Wyoming', 4],
  ],
}

function withLocal(statePercent: number, localPercent: number) {
  return [
    ['State sales tax', statePercent],
    ['Statewide local tax', localPercent],
  ] as const
}
