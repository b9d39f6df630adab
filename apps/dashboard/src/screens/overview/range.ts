const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const ranges = {
  today: { days: 1, interval: 'hour' },
  '7d': { days: 7, interval: 'day' },
  '30d': { days: 30, interval: 'day' },
  '90d': { days: 90, interval: 'week' },
  '12m': { days: 365, interval: 'month' },
} as const

export type Range = keyof typeof ranges

export function readOverviewSearch({ range }: Record<string, unknown>): { range?: Range } {
  const found = (Object.keys(ranges) as Range[]).find((each) => each === range)
  return found ? { range: found } : {}
}

/** Returns the API query for a range that ends at `now`. Days start at midnight in the user's time zone. */
export function askFor(range: Range, now: number) {
  const { days, interval } = ranges[range]
  const midnight = new Date(now)
  midnight.setHours(0, 0, 0, 0)
  const from = midnight.getTime() - (days - 1) * dayMs
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return { from, interval, timezone }
}
