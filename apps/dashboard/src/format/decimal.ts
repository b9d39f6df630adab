/**
 * A decimal as it was typed, with a point or a comma before its last digits, for the wire; `undefined` where it is
 * none, or has more decimals than are taken. Nothing is rounded.
 */
export function readDecimal(typed: string, decimals: number): number | undefined {
  const sign = typed.trim().replace(',', '.')
  const form = new RegExp(`^\\d{1,12}(\\.\\d{1,${decimals}})?$`)
  return form.test(sign) ? Number(sign) : undefined
}

/** Whole cents of what the wire says, exact: no two amounts are added as fractions. */
export function centsOf(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''))
}

/** Cents as the wire has them. */
export function amountOf(cents: bigint): number {
  const digits = cents.toString().padStart(3, '0')
  return Number(`${digits.slice(0, -2)}.${digits.slice(-2)}`)
}
