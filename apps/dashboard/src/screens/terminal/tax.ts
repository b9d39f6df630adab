/** A tax at the till: the service's rate for a jurisdiction, or a custom rate. */
export type TaxPreset = {
  readonly jurisdictionCode?: string
  /** Tax rate as a fraction with at most six decimals. */
  readonly rate: number
}

export function keyOf({ jurisdictionCode, rate }: TaxPreset): string {
  return jurisdictionCode ?? `rate ${rate}`
}

/**
 * Parses a typed percentage into a fraction.
 *
 * Returns `undefined` for more than 100% or more than four decimals.
 */
export function readPercent(typed: string): number | undefined {
  const match = /^(\d{1,3})(?:[.,](\d{1,4}))?$/.exec(typed.trim())
  if (!match) return undefined
  const millionths = BigInt(match[1] ?? '0') * 10_000n + BigInt((match[2] ?? '').padEnd(4, '0'))
  return millionths > 1_000_000n ? undefined : Number(millionths) / 1_000_000
}

/** Returns the tax in cents, rounded half up as in the service. `cents` must not be negative. */
export function taxOn(cents: bigint, rate: number): bigint {
  const millionths = BigInt(Math.round(rate * 1_000_000))
  return (cents * millionths + 500_000n) / 1_000_000n
}
