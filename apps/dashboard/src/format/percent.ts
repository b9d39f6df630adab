import { formatTag } from '../messages/messages.ts'

/** Basis points as a percentage with its two decimals: `12.50%`. */
export function percent(bps: number): string {
  return new Intl.NumberFormat(formatTag(), {
    style: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(bps / 10_000)
}
