import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { Changes } from '../facts/changes.ts'
import type { Log } from '../log.ts'
import { StateLog } from '../state-log.ts'
import { longestRestMs, Rest } from './rest.ts'
import type { Timings } from './timings.ts'

/** Work that is done again and again. All it knows it reads from the database, so a killed run is simply run anew. */
export type Job = {
  readonly name: string
  /** The longest pause between two runs; a nudge cuts it short. */
  readonly everyMs: number
  /**
   * Tables whose writing ends its rest, beside those it reads: it depends on what they stand for, such as the head of the
   * chain.
   */
  readonly wakes?: readonly string[]
  /** Tables that it reads and whose writing by others does not end its rest. */
  readonly sleepsThrough?: readonly string[]
  /** Its rounds go on while it rests, are told so, and look at what is outside the database only. */
  readonly looksWhileResting?: boolean
  /** One round. `isResting`: nothing that it has read from the database was written since it began to rest. */
  run(signal: AbortSignal, isResting?: boolean): Promise<RoundOutcome>
  /**
   * Called once before the first round, with what makes another round follow soon: for a job whose
   * rounds leave work under way.
   */
  attach?(nudge: () => void): void
  /** Resolves when what rounds left under way has ended; called after the last round. */
  drain?(): Promise<void>
}

/**
 * `again` where more is waiting: the next round follows at once. `wakeInMs` where it is due before `everyMs` is over.
 *
 * `rest` where nothing is waiting, nor falls due within {@link longestRestMs}; `restMs` where that is so for a shorter
 * time. No round follows in that time as long as no table is written that the job has ever read; it is as late then as
 * at any time, by its interval at most. `still` where a job that looks while it rests has found nothing new either.
 */
export type RoundOutcome =
  | 'again'
  | 'done'
  | 'rest'
  | 'still'
  | { readonly wakeInMs: number }
  | { readonly restMs: number }

type Entry = { job: Job; cancel: Cancel; running: Promise<void> | undefined; isNudged: boolean; rest: Rest }

type TickerNeeds = {
  readonly clock: Clock
  readonly log: Log
  readonly changes?: Changes
  readonly timings?: Pick<Timings, 'intervalScale'>
}

/** Runs each job one round at a time, on its interval or when nudged. A round that throws is tried at the next interval, and logged once for each reason. */
export class Ticker {
  readonly #needs: TickerNeeds
  readonly #entries = new Map<string, Entry>()
  readonly #stopping = new AbortController()
  readonly #states: StateLog

  constructor(needs: TickerNeeds, jobs: readonly Job[]) {
    this.#needs = needs
    this.#states = new StateLog(needs.log)
    const { clock, changes } = needs
    for (const job of jobs) {
      const rest = new Rest({ clock, written: changes?.written }, job)
      this.#entries.set(job.name, { job, cancel: () => {}, running: undefined, isNudged: false, rest })
    }
  }

  start(): void {
    for (const entry of this.#entries.values()) {
      entry.job.attach?.(() => this.nudge(entry.job.name))
      this.#run(entry)
    }
  }

  /** Runs the job soon. Unknown names are ignored: another release may know them. */
  nudge(name: string): void {
    const entry = this.#entries.get(name)
    if (!entry || this.#stopping.signal.aborted) return
    entry.rest.end()
    if (entry.running) entry.isNudged = true
    else this.#run(entry)
  }

  /** Starts no further round and resolves when those under way, and what they left so, have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const entry of this.#entries.values()) entry.cancel()
    await Promise.all([...this.#entries.values()].map((entry) => entry.running))
    await Promise.all([...this.#entries.values()].map((entry) => entry.job.drain?.()))
  }

  #run(entry: Entry): void {
    if (entry.running) return // a nudge came before the start
    entry.cancel()
    entry.isNudged = false
    entry.running = this.#round(entry).then((delayMs) => {
      entry.running = undefined
      if (this.#stopping.signal.aborted) return
      if (entry.isNudged) entry.rest.end()
      entry.cancel = this.#needs.clock.after(entry.isNudged ? 0 : delayMs, () => this.#run(entry))
    })
  }

  /** How long to wait for the next round. */
  async #round({ job, rest }: Entry): Promise<number> {
    const everyMs = job.everyMs * (this.#needs.timings?.intervalScale ?? 1)
    const leftMs = rest.leftMs()
    if (leftMs !== undefined && !job.looksWhileResting) return Math.min(everyMs, leftMs)
    try {
      const run = () => job.run(this.#stopping.signal, leftMs !== undefined)
      const outcome = leftMs === undefined ? await rest.during(run, restMsOf) : await run()
      this.#states.end(job.name, 'a job succeeds again', { job: job.name })
      if (leftMs !== undefined && outcome !== 'still') rest.end()
      if (outcome === 'still') return Math.min(everyMs, leftMs ?? everyMs)
      return delayMsOf(outcome, everyMs)
    } catch (error) {
      rest.end()
      const fields = { alert: 'job-fails', err: error, job: job.name }
      const message = 'a round of a job failed; it will be retried'
      this.#states.say(job.name, String(error), 'error', fields, message)
      return everyMs
    }
  }
}

function restMsOf(outcome: RoundOutcome): number | undefined {
  if (outcome === 'rest') return longestRestMs
  return typeof outcome === 'object' && 'restMs' in outcome ? outcome.restMs : undefined
}

function delayMsOf(outcome: RoundOutcome, everyMs: number): number {
  if (outcome === 'again') return 0
  if (typeof outcome === 'string') return everyMs
  const waitMs = 'restMs' in outcome ? outcome.restMs : outcome.wakeInMs
  return Math.min(everyMs, Math.max(0, waitMs))
}
