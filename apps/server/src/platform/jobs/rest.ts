import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Reads, type WrittenTables } from '../facts/written-tables.ts'

/** The longest that a job rests on what it has read: so late is found what somebody wrote and nobody heard of. */
export const longestRestMs = 30_000

/**
 * What a job rests on that found nothing to do: as long as nothing it has ever read is written, and its time has not
 * come, a round would find nothing again.
 */
export class Rest {
  readonly #clock: Clock
  readonly #written: WrittenTables | undefined
  readonly #reads: Reads
  #kept: { readonly since: number; readonly from: UnixMs; readonly until: UnixMs } | undefined

  /** @param job - `wakes`: tables that end it beside those that are read; `sleepsThrough`: those that do not. */
  constructor(
    needs: { clock: Clock; written: WrittenTables | undefined },
    job: { wakes?: readonly string[]; sleepsThrough?: readonly string[] },
  ) {
    this.#clock = needs.clock
    this.#written = needs.written
    this.#reads = new Reads({ more: job.wakes, ignored: job.sleepsThrough })
  }

  /** How long nothing is to be done yet, or `undefined` where that is not known. */
  leftMs(): number | undefined {
    if (!this.#kept || !this.#written) return undefined
    const { since, from, until } = this.#kept
    const now = this.#clock.now()
    // A clock that was put back makes what was read before worthless.
    if (now < from || now >= until || !this.#written.isSame(this.#reads, since)) return undefined
    return until - now
  }

  /** Ends it. */
  end(): void {
    this.#kept = undefined
  }

  /** Runs a round and records what it reads; `restMs` of its answer begins with the round. */
  async during<Outcome>(
    round: () => Promise<Outcome>,
    restMsOf: (outcome: Outcome) => number | undefined,
  ): Promise<Outcome> {
    const since = this.#written?.count ?? 0
    const from = this.#clock.now()
    this.#kept = undefined
    const outcome = await this.#reads.during(round)
    const restMs = restMsOf(outcome)
    if (restMs !== undefined)
      this.#kept = { since, from, until: (from + Math.min(restMs, longestRestMs)) as UnixMs }
    return outcome
  }
}
