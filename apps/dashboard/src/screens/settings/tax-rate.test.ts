import { expect, test } from 'vitest'
import { percentOfRate, rateOfPercent } from './tax-rate.ts'

test('every rate of six decimals reads back exactly', () => {
  for (let millionths = 0; millionths <= 1_000_000; millionths += 7) {
    const rate = Number(`${millionths}e-6`)
    expect(rateOfPercent(percentOfRate(rate))).toBe(rate)
  }
})

test.each(['', '-1', '100.0001', '1.23456', '1e1', 'x'])('"%s" is no rate', (text) =>
  expect(rateOfPercent(text)).toBe(undefined))
