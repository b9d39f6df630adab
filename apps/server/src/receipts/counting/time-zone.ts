/** A moment as the clocks of a time zone show it: as if it were UTC, in milliseconds. */
export type LocalTime = number

const dayMs = 86_400_000

/** A time zone by its IANA name. Moments are Unix milliseconds. */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat

  private constructor(format: Intl.DateTimeFormat) {
    this.#format = format
  }

  /** The zone of a name, or `undefined` where there is none. */
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
   * The first moment at which clocks show that time. Where they leap over it, when summer time begins, the moment of
   * the leap.
   */
  toMoment(local: LocalTime): number {
    const offsets = [local - dayMs, local + dayMs].map((near) => this.toLocal(near) - near)
    const moments = offsets.map((offset) => local - offset)
    const shown = moments.filter((moment) => this.toLocal(moment) === local)
    return shown.length > 0 ? Math.min(...shown) : Math.max(...moments)
  }
}

const clockParts = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
