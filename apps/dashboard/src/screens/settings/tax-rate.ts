/** A rate, a fraction of at most six decimals, as people write it: `8.875`. */
export function percentOfRate(rate: number): string {
  // Shifts the decimal point in the text: a multiplication would add digits that nobody wrote.
  return String(Number(`${rate}e2`))
}

/** What was typed as a percentage, as a fraction; `undefined` where it is none, or has too many decimals. */
export function rateOfPercent(percent: string): number | undefined {
  const text = percent.trim().replace(',', '.')
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(text)) return undefined
  const rate = Number(`${text}e-2`)
  return rate <= 1 ? rate : undefined
}
