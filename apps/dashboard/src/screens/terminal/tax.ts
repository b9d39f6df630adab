/** A tax that is chosen at the counter: of a jurisdiction, whose rate the service knows, or a rate of one's own. */
export type TaxPreset = {
  readonly jurisdictionCode?: string
  /** A fraction with at most six decimals. */
  readonly rate: number
}

/** What tells presets apart. */
export function keyOf({ jurisdictionCode, rate }: TaxPreset): string {
  return jurisdictionCode ?? `rate ${rate}`
}

/** A percentage as it was typed, as the fraction it is; `undefined` for none, or more than four decimals. */
export function readPercent(typed: string): number | undefined {
  const match = /^(\d{1,3})(?:[.,](\d{1,4}))?$/.exec(typed.trim())
  if (!match) return undefined
  const millionths = BigInt(match[1] ?? '0') * 10_000n + BigInt((match[2] ?? '').padEnd(4, '0'))
  return millionths > 1_000_000n ? undefined : Number(millionths) / 1_000_000
}

/** The tax on an amount, half a cent away from zero, as the service adds it. */
export function taxOn(cents: bigint, rate: number): bigint {
  const millionths = BigInt(Math.round(rate * 1_000_000))
  return (cents * millionths + 500_000n) / 1_000_000n
}
