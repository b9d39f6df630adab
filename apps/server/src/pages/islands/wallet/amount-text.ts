import { formatUnits } from '@sluice/protocol/money.ts'

/** What an amount is of. */
export type Unit = {
  readonly symbol: string
  readonly decimals: number
  /** How many decimals are written at least: two of a stablecoin's. */
  readonly minDecimals?: number
}

/** An amount as the language of the page writes it, exact to the base unit: `1,250.50 USDC`. */
export function amountText({ symbol, decimals, minDecimals = 0 }: Unit, units: bigint): string {
  const whole = new Intl.NumberFormat(document.documentElement.lang, { numberingSystem: 'latn' })
  const point = whole.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const [left = '0', right = ''] = formatUnits(units, decimals).split('.')
  const digits = right.padEnd(minDecimals, '0')
  return `${whole.format(BigInt(left))}${digits ? point + digits : ''} ${symbol}`
}
