import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'

/** What happened when, over all purchases. */
export class Timeline {
  readonly #clock: Clock
  readonly #startedAt: UnixMs
  readonly #entries: { at: UnixMs; who: string; what: string }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** Notes something that happened now, or at a moment that is known better. */
  note(who: string, what: string, at: UnixMs = this.#clock.now()): void {
    this.#entries.push({ at, who, what })
  }

  /** All of it in the order of time, in seconds since the start. */
  print(write: (line: string) => void): void {
    const width = Math.max(...this.#entries.map((entry) => entry.who.length))
    for (const { at, who, what } of this.#entries.toSorted((a, b) => a.at - b.at)) {
      const seconds = ((at - this.#startedAt) / 1000).toFixed(2).padStart(7)
      write(`${seconds} s  ${who.padEnd(width)}  ${what}`)
    }
  }
}
