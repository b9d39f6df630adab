import { currencyStyle, formatTag } from '../messages/messages.ts'

/** An amount of a currency: `$1,250.00`. */
export function money(amount: number, currency = 'USD'): string {
  return new Intl.NumberFormat(formatTag(), currencyStyle(currency)).format(amount)
}
