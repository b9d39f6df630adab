import { maxSeriesPoints, seriesIntervals } from '@sluice/protocol/api/receipts/filters.ts'
import { maxUnixMs } from '@sluice/protocol/time.ts'
import { invalidInput } from '../../kernel/api-error.ts'

type SeriesInterval = (typeof seriesIntervals)[number]

export type SeriesRequest = { readonly interval: SeriesInterval; readonly zone: TimeZone }

const hourMs = 3_600_000
const dayMs = 86_400_000

/**
 * Parses the series of a query. Returns `undefined` without an interval.
 *
 * @throws {ApiError} `invalid_input` for an unknown interval or time zone.
 */
export function parseSeries(query: { interval?: string; timezone?: string }): SeriesRequest | undefined {
  const { interval, timezone = 'UTC' } = query
  const zone = /^[A-Za-z][\w+/-]*$/.test(timezone) ? TimeZone.find(timezone) : undefined
  if (!zone)
    throw invalidInput({ path: 'timezone', message: 'must be an IANA time zone, such as Europe/Berlin' })
  if (interval === undefined) return undefined
  if (!(seriesIntervals as readonly string[]).includes(interval))
    throw invalidInput({ path: 'interval', message: `must be one of ${seriesIntervals.join(', ')}` })
  return { interval: interval as SeriesInterval, zone }
}

/**
 * Returns the start times of the points that cover a range, plus the end of the last point. Days, weeks (from
 * Monday) and months start at midnight in the time zone.
 *
 * @throws {ApiError} `invalid_input` if the range has too many points.
 */
export function pointsOf({ interval, zone }: SeriesRequest, from: number, to: number): number[] {
  const tooMany = () =>
    invalidInput({
      path: 'interval',
      message: `the range has more than ${maxSeriesPoints} points; choose a longer interval or a shorter range (from, to)`,
    })
  if ((to - from) / shortest[interval] > maxSeriesPoints + 1) throw tooMany()
  let local = beginOf(interval, zone.toLocal(from))
  const begins = [zone.toMoment(local)]
  while ((begins.at(-1) ?? 0) < to) {
    if (begins.length > maxSeriesPoints) throw tooMany()
    local = next(interval, local)
    const begin = interval === 'hour' ? (begins.at(-1) ?? 0) + hourMs : zone.toMoment(local)
    begins.push(Math.min(begin, maxUnixMs))
  }
  return begins
}

/**
 * Minimum length of a point in milliseconds. Daylight saving time and short months are taken into account.
 */
const shortest: Readonly<Record<SeriesInterval, number>> = {
  hour: hourMs,
  day: 22 * hourMs,
  week: 6.9 * dayMs,
  month: 27.9 * dayMs,
}

function beginOf(interval: SeriesInterval, local: LocalTime): LocalTime {
  if (interval === 'hour') return local - (local % hourMs)
  const day = local - (local % dayMs)
  if (interval === 'day') return day
  const date = new Date(day)
  if (interval === 'week') return day - ((date.getUTCDay() + 6) % 7) * dayMs
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

function next(interval: SeriesInterval, local: LocalTime): LocalTime {
  if (interval === 'hour') return local + hourMs
  if (interval === 'day') return local + dayMs
  if (interval === 'week') return local + 7 * dayMs
  const date = new Date(local)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** Local wall-clock time, encoded as UTC milliseconds. */
type LocalTime = number

class TimeZone {
  readonly #format: Intl.DateTimeFormat

  private constructor(format: Intl.DateTimeFormat) {
    this.#format = format
  }

  static find(name: string): TimeZone | undefined {
    try {
      const parts = { year: 'numeric', month: 'numeric', day: 'numeric', ...clockParts } as const
      return new TimeZone(
        new Intl.DateTimeFormat('en-US', { timeZone: name, calendar: 'iso8601', era: 'short', ...parts }),
      )
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }

  toLocal(moment: number): LocalTime {
    const parts = new Map(this.#format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
    const [year = 0, month = 1, day = 1] = [parts.get('year'), parts.get('month'), parts.get('day')]
    const [hour = 0, minute = 0, second = 0] = [parts.get('hour'), parts.get('minute'), parts.get('second')]
    const within = ((moment % 1000) + 1000) % 1000
    return Date.UTC(year, month - 1, day, hour, minute, second) + within
  }

  /**
   * Returns the first moment with that local time. If daylight saving time skips the local time, returns the
   * moment of the change.
   */
  toMoment(local: LocalTime): number {
    const offsets = [local - dayMs, local + dayMs].map((near) => this.toLocal(near) - near)
    const moments = offsets.map((offset) => local - offset)
    const shown = moments.filter((moment) => this.toLocal(moment) === local)
    return shown.length > 0 ? Math.min(...shown) : Math.max(...moments)
  }
}

const clockParts = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
