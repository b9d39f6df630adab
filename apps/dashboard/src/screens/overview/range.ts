const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The ranges of the overview, with how long each is and the points of its chart. */
export const ranges = {
  today: { days: 1, interval: 'hour' },
  '7d': { days: 7, interval: 'day' },
  '30d': { days: 30, interval: 'day' },
  '90d': { days: 90, interval: 'week' },
  '12m': { days: 365, interval: 'month' },
} as const

/** One of {@link ranges}. */
export type Range = keyof typeof ranges

/** What the address of the overview says. */
export function readOverviewSearch({ range }: Record<string, unknown>): { range?: Range } {
  const found = (Object.keys(ranges) as Range[]).find((each) => each === range)
  return found ? { range: found } : {}
}

/** What the API is asked for a range that ends now, in the reader's zone: days begin at midnight here. */
export function askFor(range: Range, now: number) {
  const { days, interval } = ranges[range]
  const midnight = new Date(now)
  midnight.setHours(0, 0, 0, 0)
  const from = midnight.getTime() - (days - 1) * dayMs
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return { from, interval, timezone }
}
