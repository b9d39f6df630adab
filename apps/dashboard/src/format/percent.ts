import { formatTag } from '../messages/messages.ts'

/** Formats basis points with two decimals: `1250` is `12.50%`. */
export function percent(bps: number): string {
  return new Intl.NumberFormat(formatTag(), {
    style: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(bps / 10_000)
}
