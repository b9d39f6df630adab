/** Formats a rate, a fraction with at most six decimals, as a percentage: `0.08875` is `8.875`. */
export function percentOfRate(rate: number): string {
  // Shifts the decimal point in the text, because multiplication would introduce rounding errors.
  return String(Number(`${rate}e2`))
}

/** Parses a percentage with at most four decimals into a fraction, or `undefined` if it is invalid. */
export function rateOfPercent(percent: string): number | undefined {
  const text = percent.trim().replace(',', '.')
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(text)) return undefined
  const rate = Number(`${text}e-2`)
  return rate <= 1 ? rate : undefined
}
