import { formatTag } from '../messages/messages.ts'

/** An amount of base units as a decimal text without losing one: `1.000001`. */
export function unitsText(units: bigint, decimals: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const right = decimals > 0 ? digits.slice(-decimals).replace(/0+$/, '') : ''
  const left = decimals > 0 ? digits.slice(0, -decimals) : digits
  return `${units < 0n ? '-' : ''}${left}${right ? `.${right}` : ''}`
}

/** An exact amount of a token in the reader's writing: `1,250.5 USDC`. */
export function tokenAmount(units: bigint, decimals: number, symbol: string): string {
  const format = new Intl.NumberFormat(formatTag())
  const [left = '0', right] = unitsText(units, decimals).split('.')
  const point = format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  // The sign of an amount below one would be lost with its zero.
  const whole = left.startsWith('-')
    ? `-${format.format(BigInt(left.slice(1)))}`
    : format.format(BigInt(left))
  return `${whole}${right ? point + right : ''} ${symbol}`
}
