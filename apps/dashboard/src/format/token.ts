import { formatTag } from '../messages/messages.ts'

/** Formats base units as a decimal number without grouping, for other programs. */
export function plainUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const text = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = text.slice(0, text.length - decimals)
  const part = text.slice(text.length - decimals).replace(/0+$/, '')
  return sign + (part === '' ? whole : `${whole}.${part}`)
}

/** Formats base units as `1,250.000001 USDC`, without rounding. */
export function tokenAmount(units: bigint | string, decimals: number, symbol: string): string {
  const least = Math.min(2, decimals)
  const format = new Intl.NumberFormat(formatTag(), {
    minimumFractionDigits: least,
    maximumFractionDigits: Math.max(least, decimals),
  })
  return `${format.format(plainUnits(BigInt(units), decimals) as `${number}`)}\u00a0${symbol}`
}
