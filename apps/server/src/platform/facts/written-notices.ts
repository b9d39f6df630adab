import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { WrittenTables } from './written-tables.ts'

/** What is written within it is said together: a busy process says it so often at most. */
const gatherMs = 100

/**
 * Tells other processes which tables this one has written, after the commit. One that is lost, with the process or on
 * its way, costs the others the time that a job may rest.
 */
export class WrittenNotices {
  readonly #say: (message: string) => Promise<unknown>
  readonly #clock: Clock
  readonly #written: WrittenTables
  readonly #waiting = new Set<string>()
  #cancel: Cancel | undefined
  #isClosed = false

  constructor(say: (message: string) => Promise<unknown>, clock: Clock, written: WrittenTables) {
    this.#say = say
    this.#clock = clock
    this.#written = written
  }

  /** Tables were written and committed. */
  note(tables: readonly string[]): void {
    this.#written.note(tables)
    if (this.#isClosed) return
    for (const table of tables) this.#waiting.add(table)
    this.#cancel ??= this.#clock.after(gatherMs, () => void this.#send())
  }

  /** Says what is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#cancel) await this.#send()
  }

  async #send(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    const message = [this.#written.origin, ...this.#waiting].join(' ')
    this.#waiting.clear()
    await this.#say(message).catch(() => {})
  }
}
