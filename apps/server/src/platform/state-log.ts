import type { Clock } from '../kernel/clock.ts'
import type { Log } from './log.ts'

/** States remembered at once; the one said longest ago goes first, and would be said anew. */
const mostStates = 1_000

/**
 * Says a state once: when it begins, when it becomes another and when it ends. For whoever comes by the same
 * thing round after round, so that a line in the log is news and an alert is one alert.
 */
export class StateLog {
  readonly #log: Log
  readonly #clock: Clock | undefined
  readonly #states = new Map<string, { readonly state: string; readonly metAt: number }>()

  /** @param clock - For states that end only after a calm. */
  constructor(log: Log, clock?: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /**
   * @param about - What is in the state: one thing is in one state at a time.
   * @param state - Names the state; said again only where it differs from the one before.
   */
  say(
    about: string,
    state: string,
    level: 'info' | 'warn' | 'error',
    fields: Readonly<Record<string, unknown>>,
    message: string,
  ): void {
    const before = this.#states.get(about)
    this.#states.delete(about)
    this.#states.set(about, { state, metAt: this.#clock?.now() ?? 0 })
    const [oldest] = this.#states.keys()
    if (this.#states.size > mostStates && oldest !== undefined) this.#states.delete(oldest)
    if (before?.state !== state) this.#log[level](fields, message)
  }

  /**
   * Says that whatever state was said of it is over; nothing where none was.
   *
   * @param calmMs - Nothing either until it has not been met for so long: for what comes and goes.
   */
  end(
    about: string,
    message: string,
    { calmMs = 0, ...fields }: Readonly<Record<string, unknown>> & { readonly calmMs?: number } = {},
  ): void {
    const before = this.#states.get(about)
    if (!before || (this.#clock?.now() ?? 0) - before.metAt < calmMs) return
    this.#states.delete(about)
    this.#log.info(fields, message)
  }
}
