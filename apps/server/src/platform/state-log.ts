import type { Clock } from '../kernel/clock.ts'
import type { Log } from './log.ts'

/** Maximum number of states. Beyond it, the oldest state is dropped and would be logged again. */
const mostStates = 1_000

/**
 * Logs a state once: when it begins, when it changes and when it ends.
 *
 * For code that finds the same state in every round, so that an alert is raised once.
 */
export class StateLog {
  readonly #log: Log
  readonly #clock: Clock | undefined
  readonly #states = new Map<string, { readonly state: string; readonly metAt: number }>()

  constructor(log: Log, clock?: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /**
   * @param about - Subject, which has one state at a time.
   * @param state - Name of the state; logged only if it differs from the previous one.
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
   * Logs the end of a state. Does nothing if there was none.
   *
   * @param calmMs - Milliseconds without the state before it ends, for a state that comes and goes.
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
