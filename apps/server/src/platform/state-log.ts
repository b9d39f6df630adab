import type { Log } from './log.ts'

/** States remembered at once; the one said longest ago goes first, and would be said anew. */
const mostStates = 1_000

/**
 * Says a state once: when it begins, when it becomes another and when it ends. For whoever comes by the same
 * thing round after round, so that a line in the log is news and an alert is one alert.
 */
export class StateLog {
  readonly #log: Log
  readonly #states = new Map<string, string>()

  constructor(log: Log) {
    this.#log = log
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
    this.#states.set(about, state)
    const [oldest] = this.#states.keys()
    if (this.#states.size > mostStates && oldest !== undefined) this.#states.delete(oldest)
    if (before !== state) this.#log[level](fields, message)
  }

  /** Says that whatever state was said of it is over; nothing where none was. */
  end(about: string, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (this.#states.delete(about)) this.#log.info(fields, message)
  }
}
