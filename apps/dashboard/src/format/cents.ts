import { currencyStyle, formatTag } from '../messages/messages.ts'

const form = /^\d{1,10}(?:[.,]\d{1,2})?$/

/** The cents somebody has typed (`12.50`, `12,5`); `undefined` where that is no amount. */
export function readCents(typed: string): bigint | undefined {
  const text = typed.trim()
  if (!form.test(text)) return undefined
  const [whole = '0', part = ''] = text.split(/[.,]/)
  return BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'))
}

/** The cents of an amount as the API writes it: read from its digits, never computed. */
export function centsOf(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''))
}

/** An amount as the API wants it. */
export function amountOf(cents: bigint): number {
  return Number(plainAmount(cents))
}

/** `12.50`: what stands in a field. */
export function plainAmount(cents: bigint): string {
  const sign = cents < 0n ? '-' : ''
  const text = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
  return `${sign}${text.slice(0, -2)}.${text.slice(-2)}`
}

/** `$1,250.00`: exact, however large. */
export function moneyOf(cents: bigint, currency: string): string {
  const format = new Intl.NumberFormat(formatTag(), currencyStyle(currency))
  return format.format(plainAmount(cents) as `${number}`)
}
