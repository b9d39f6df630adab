import { currencyStyle, formatTag } from '../messages/messages.ts'

const form = /^\d{1,10}(?:[.,]\d{1,2})?$/

/** Parses a typed amount (`12.50`, `12,5`) into cents. Returns `undefined` if it is invalid. */
export function readCents(typed: string): bigint | undefined {
  const text = typed.trim()
  if (!form.test(text)) return undefined
  const [whole = '0', part = ''] = text.split(/[.,]/)
  return BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'))
}

/** Converts an API amount to cents through its decimal text, because float arithmetic could lose a cent. */
export function centsOf(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''))
}

export function amountOf(cents: bigint): number {
  return Number(plainAmount(cents))
}

/** Formats cents for a form field: `12.50`. */
export function plainAmount(cents: bigint): string {
  const sign = cents < 0n ? '-' : ''
  const text = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
  return `${sign}${text.slice(0, -2)}.${text.slice(-2)}`
}

/** Formats cents as `$1,250.00`. Exact for any size, because the formatter receives a decimal string. */
export function moneyOf(cents: bigint, currency: string): string {
  const format = new Intl.NumberFormat(formatTag(), currencyStyle(currency))
  return format.format(plainAmount(cents) as `${number}`)
}
