import { currencyStyle, formatTag } from '../messages/messages.ts'

export function money(amount: number, currency = 'USD'): string {
  return new Intl.NumberFormat(formatTag(), currencyStyle(currency)).format(amount)
}
