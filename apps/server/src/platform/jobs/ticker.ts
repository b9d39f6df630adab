import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { Log } from '../log.ts'
import { StateLog } from '../state-log.ts'
import type { Timings } from './timings.ts'

/** Repeated work. Its state is only in the database, so a killed run is simply repeated. */
export type Job = {
  readonly name: string
  readonly everyMs: number
  run(signal: AbortSignal): Promise<RoundOutcome>
  /**
   * Receives, before the first round, a function that soon starts another round.
   *
   * For a job whose rounds leave work in progress.
   */
  attach?(nudge: () => void): void
  /** Resolves when the work that rounds left in progress has ended. Called after the last round. */
  drain?(): Promise<void>
}

/**
 * `again` if more work is waiting: the next round starts at once. `wakeInMs` if work is due before `everyMs`.
 */
export type RoundOutcome = 'again' | 'done' | { readonly wakeInMs: number }

type Entry = { job: Job; cancel: Cancel; running: Promise<void> | undefined; isNudged: boolean }

type TickerNeeds = {
  readonly clock: Clock
  readonly log: Log
  readonly timings?: Pick<Timings, 'intervalScale'>
}

/**
 * Runs one round of each job at a time, at its interval or when woken.
 *
 * A round that throws is repeated at the next interval. Each reason is logged once.
 */
export class Ticker {
  readonly #needs: TickerNeeds
  readonly #entries = new Map<string, Entry>()
  readonly #stopping = new AbortController()
  readonly #states: StateLog

  constructor(needs: TickerNeeds, jobs: readonly Job[]) {
    this.#needs = needs
    this.#states = new StateLog(needs.log)
    for (const job of jobs)
      this.#entries.set(job.name, { job, cancel: () => {}, running: undefined, isNudged: false })
  }

  start(): void {
    for (const entry of this.#entries.values()) {
      entry.job.attach?.(() => this.nudge(entry.job.name))
      this.#run(entry)
    }
  }

  /** Runs the job soon. Ignores an unknown name, because another release may know it. */
  nudge(name: string): void {
    const entry = this.#entries.get(name)
    if (!entry || this.#stopping.signal.aborted) return
    if (entry.running) entry.isNudged = true
    else this.#run(entry)
  }

  /**
   * Starts no further rounds. Resolves when the rounds in progress, and the work that they left, have ended.
   */
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
      entry.cancel = this.#needs.clock.after(entry.isNudged ? 0 : delayMs, () => this.#run(entry))
    })
  }

  async #round({ job }: Entry): Promise<number> {
    const everyMs = job.everyMs * (this.#needs.timings?.intervalScale ?? 1)
    try {
      const outcome = await job.run(this.#stopping.signal)
      this.#states.end(job.name, 'a job succeeds again', { job: job.name })
      return delayMsOf(outcome, everyMs)
    } catch (error) {
      const fields = { alert: 'job-fails', err: error, job: job.name }
      const message = 'a job round failed; retrying'
      this.#states.say(job.name, String(error), 'error', fields, message)
      return everyMs
    }
  }
}

function delayMsOf(outcome: RoundOutcome, everyMs: number): number {
  if (outcome === 'again') return 0
  return outcome === 'done' ? everyMs : Math.min(everyMs, Math.max(0, outcome.wakeInMs))
}
