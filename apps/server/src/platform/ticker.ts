import type { Cancel, Clock } from '../kernel/clock.ts'
import type { Log } from './log.ts'

/** Work that is done again and again. All it knows it reads from the database, so a killed run is simply run anew. */
export type Job = {
  readonly name: string
  /** The longest pause between two runs; a nudge cuts it short. */
  readonly everyMs: number
  /** One round. `again` where more is waiting: the next round follows at once. */
  run(signal: AbortSignal): Promise<'again' | 'done'>
}

type Entry = { job: Job; cancel: Cancel; running: Promise<void> | undefined; isNudged: boolean }

/** Runs each job one round at a time, on its interval or when nudged. A round that throws is logged and tried at the next interval. */
export class Ticker {
  readonly #needs: { clock: Clock; log: Log }
  readonly #entries = new Map<string, Entry>()
  readonly #stopping = new AbortController()

  constructor(needs: { clock: Clock; log: Log }, jobs: readonly Job[]) {
    this.#needs = needs
    for (const job of jobs)
      this.#entries.set(job.name, { job, cancel: () => {}, running: undefined, isNudged: false })
  }

  start(): void {
    for (const entry of this.#entries.values()) this.#run(entry)
  }

  /** Runs the job soon. Unknown names are ignored: another release may know them. */
  nudge(name: string): void {
    const entry = this.#entries.get(name)
    if (!entry || this.#stopping.signal.aborted) return
    if (entry.running) entry.isNudged = true
    else this.#run(entry)
  }

  /** Starts no further round and resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const entry of this.#entries.values()) entry.cancel()
    await Promise.all([...this.#entries.values()].map((entry) => entry.running))
  }

  #run(entry: Entry): void {
    entry.cancel()
    entry.isNudged = false
    entry.running = this.#round(entry).finally(() => {
      entry.running = undefined
    })
  }

  async #round(entry: Entry): Promise<void> {
    const { clock, log } = this.#needs
    let outcome: 'again' | 'done' = 'done'
    try {
      outcome = await entry.job.run(this.#stopping.signal)
    } catch (error) {
      log.error({ err: error, job: entry.job.name }, 'a round of a job failed; it will be run again')
    }
    if (this.#stopping.signal.aborted) return
    const delayMs = outcome === 'again' || entry.isNudged ? 0 : entry.job.everyMs
    entry.cancel = clock.after(delayMs, () => this.#run(entry))
  }
}
