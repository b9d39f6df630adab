import { divideHalfAway, type RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import {
  isTimely,
  type Rate,
  type RateCode,
  type RateInput,
  type RateReading,
  type RateSource,
} from './rate.ts'

const refreshEveryMs = 20_000
/** Minimum interval between requests for a code without a fresh rate. */
const askAgainMs = 5_000

type Entry = { readonly rate: Rate; readonly readAt: UnixMs }

/**
 * Cache of the latest good rate of every code in this process.
 *
 * A job refreshes it. A stale rate triggers a refresh, which concurrent callers share.
 */
export class RateBook {
  readonly #needs: { clock: Clock; log: Log; sources: readonly RateSource[] }
  readonly #states: StateLog
  readonly #entries = new Map<RateCode, Entry>()
  readonly #readings = new Map<RateCode, Promise<void>>()
  readonly #askedAt = new Map<RateCode, UnixMs>()

  constructor(needs: { clock: Clock; log: Log; sources: readonly RateSource[] }) {
    this.#needs = needs
    this.#states = new StateLog(needs.log)
  }

  get codes(): RateCode[] {
    return [...new Set(this.#needs.sources.flatMap((source) => source.codes))]
  }

  get usability(): { readonly code: RateCode; readonly isUsable: boolean }[] {
    return [...this.#askedAt.keys()].map((code) => ({ code, isUsable: this.cached(code) !== undefined }))
  }

  cached(code: RateCode): Rate | undefined {
    const rate = this.#entries.get(code)?.rate
    return rate && isTimely(rate, code, this.#needs.clock.now()) ? rate : undefined
  }

  isFresh(code: RateCode): boolean {
    const { readAt } = this.#entries.get(code) ?? {}
    return this.cached(code) !== undefined && this.#isWithin(readAt, 1.5 * refreshEveryMs)
  }

  async freshen(code: RateCode): Promise<void> {
    // Inside a transaction, rows are locked, so the sources are not requested. The caller has already
    // refreshed the rate.
    if (isInsideTransaction()) return
    const isAnswered = !this.#readings.has(code) && this.#isWithin(this.#askedAt.get(code), askAgainMs)
    if (!this.isFresh(code) && !isAnswered) await this.refresh([code])
  }

  /** Requests the sources and stores the median. Keeps the previous rate if there is no usable median. */
  async refresh(codes: readonly RateCode[] = this.codes): Promise<void> {
    const missing = codes.filter((code) => !this.#readings.has(code))
    if (missing.length > 0) {
      const reading = this.#read(missing).finally(() => {
        for (const code of missing) this.#readings.delete(code)
      })
      for (const code of missing) this.#readings.set(code, reading)
    }
    await Promise.all(codes.map((code) => this.#readings.get(code)))
  }

  #isWithin(at: UnixMs | undefined, ms: number): boolean {
    return at !== undefined && Math.abs(this.#needs.clock.now() - at) <= ms
  }

  async #read(codes: readonly RateCode[]): Promise<void> {
    const { clock, sources } = this.#needs
    const responses = await Promise.all(sources.map((source) => ask(source, codes)))
    const readings = responses.flat()
    const now = clock.now()
    for (const code of codes) this.#askedAt.set(code, now)
    for (const code of codes) {
      const own = readings.filter((reading) => reading.code === code)
      const rate = medianRate(code, own.filter(isInput).map(dropCode), now)
      if (rate) {
        this.#entries.set(code, { rate, readAt: now })
        this.#states.end(code, 'the sources provide a usable rate again', { code })
      } else {
        const fields = { code, readings: own.map(describe) }
        this.#states.say(code, 'none', 'warn', fields, 'no source provides a usable rate')
      }
    }
  }
}

/** Returns the job that keeps rates fresh, so that requests rarely wait for a source. */
export function makeRefreshRatesJob(needs: { rates: RateBook }): Job {
  return {
    name: jobNames.refreshRates,
    everyMs: refreshEveryMs,
    async run() {
      await needs.rates.refresh()
      return 'done'
    },
  }
}

async function ask(source: RateSource, codes: readonly RateCode[]): Promise<RateReading[]> {
  const known = codes.filter((code) => source.codes.includes(code))
  if (known.length === 0) return []
  try {
    return await source.read(known)
  } catch (error) {
    return known.map((code) => ({ code, source: source.name, error: String(error) }))
  }
}

function isInput(reading: RateReading): reading is Extract<RateReading, RateInput> {
  return 'usdPerUnit' in reading
}

function dropCode({ source, usdPerUnit, quotedAt }: RateInput): RateInput {
  return { source, usdPerUnit, quotedAt }
}

function describe(reading: RateReading) {
  return isInput(reading)
    ? { source: reading.source, usdPerUnit: reading.usdPerUnit.toString(), quotedAt: reading.quotedAt }
    : { source: reading.source, error: reading.error }
}

/** Maximum distance from the median: 2 %. */
const outlierPercent = 2n

/**
 * Returns the median of the inputs, or `undefined` if none is usable.
 *
 * Drops inputs that are not positive or are stale, then inputs more than 2 % away from the median. Two inputs
 * that differ by more than 4 % are both dropped, because neither is known to be right.
 */
export function medianRate(code: RateCode, inputs: readonly RateInput[], now: UnixMs): Rate | undefined {
  const timely = inputs.filter((input) => input.usdPerUnit > 0n && isTimely(input, code, now))
  const middle = median(timely)
  const counted = timely.filter(
    ({ usdPerUnit }) => 100n * distance(usdPerUnit, middle) <= outlierPercent * middle,
  )
  const oldest = counted.toSorted((a, b) => a.quotedAt - b.quotedAt)[0]
  if (!oldest) return undefined
  return {
    code,
    usdPerUnit: median(counted),
    quotedAt: oldest.quotedAt,
    provider: counted.map((input) => input.source).join('+'),
    inputs: counted,
  }
}

/**
 * Returns the median. For an even count, it is the mean of the middle two, rounded half away from zero.
 * Returns 0 for no inputs.
 */
function median(inputs: readonly RateInput[]): RateE8 {
  const sorted = inputs.map((input) => input.usdPerUnit).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0n
  return divideHalfAway(low + high, 2n) as RateE8
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a
}
