import { formatUnits } from '@sluice/protocol/money.ts'

const whole = new Intl.NumberFormat('en-US')

/** An amount of a currency for people: `$1,250.00`. */
export function currencyText(amount: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(amount)
}

/** A token amount for people, exact to the base unit: `1,250.5 USDC`. */
export function tokenText(units: string, decimals: number, symbol: string): string {
  const [left = '0', right] = bareTokenAmount(units, decimals).split('.')
  return `${whole.format(BigInt(left))}${right ? `.${right}` : ''} ${symbol}`
}

/** A token amount as wallets want it typed or pasted: digits and a point, nothing else. */
export function bareTokenAmount(units: string, decimals: number): string {
  return formatUnits(BigInt(units), decimals)
}

/** What one unit costs in dollars, with the digits a small price needs. */
export function rateText(usdPerUnit: number): string {
  const digits = usdPerUnit < 10 ? 6 : 2
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usdPerUnit)
}

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** An instant for people, in UTC: `21 Nov 2025, 08:01 UTC`. */
export function timeText(instant: number): string {
  return `${dateFormat.format(new Date(instant))} UTC`
}
