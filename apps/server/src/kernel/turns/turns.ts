import { AsyncLocalStorage } from 'node:async_hooks'
import { ChurnMap } from '../churn/churn-map.ts'
import { nextTurn } from './next-turn.ts'

/** Something to be begun when its turn comes. */
export type Job = {
  /** Whether nobody waits for it any more. */
  isGone(): boolean
  /** Begins it; `done` is to be called once, when it has ended. */
  begin(done: () => void): void
}

type Line = { readonly waiting: Job[]; readonly most: number; running: number; isReady: boolean }

/** After so many the process looks at its sockets and timers again. */
const jobsPerTurn = 8

/**
 * Gives everybody who waits a turn after one another, one job at a time: whoever brings a thousand waits for
 * himself, and not the one who brings one after him.
 */
export class Turns {
  readonly #lines = new ChurnMap<string, Line>()
  /** Lines that have a job they may begin, in the order of their turns. */
  readonly #ready: string[] = []
  /** Where it was made: what is begun must not run within the transaction or trace of whoever ended before it. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #isGoing = false

  /** How many stand in line or are at work, by name. */
  get lineCount(): number {
    return this.#lines.size
  }

  /** @param most - How many jobs of this line may be under way. */
  add(name: string, most: number, job: Job): void {
    let line = this.#lines.get(name)
    if (!line) {
      line = { waiting: [], most, running: 0, isReady: false }
      this.#lines.set(name, line)
    }
    line.waiting.push(job)
    this.#next(name, line)
  }

  #next(name: string, line: Line): void {
    if (line.waiting.length === 0 && line.running === 0) this.#lines.delete(name)
    if (line.isReady || line.waiting.length === 0 || line.running >= line.most) return
    line.isReady = true
    this.#ready.push(name)
    if (!this.#isGoing) this.#outside(() => void this.#go())
  }

  async #go(): Promise<void> {
    this.#isGoing = true
    for (let count = 0; this.#ready.length > 0; count++) {
      if (count % jobsPerTurn === 0) await nextTurn()
      const name = this.#ready.shift() ?? ''
      const line = this.#lines.get(name)
      if (line) this.#begin(name, line)
    }
    this.#isGoing = false
  }

  #begin(name: string, line: Line): void {
    line.isReady = false
    let job = line.waiting.shift()
    while (job?.isGone()) job = line.waiting.shift()
    if (job) {
      line.running++
      let isDone = false
      job.begin(() => {
        if (isDone) return
        isDone = true
        line.running--
        this.#next(name, line)
      })
    }
    this.#next(name, line)
  }
}
