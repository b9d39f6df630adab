import { findEnded } from '../../access/guard/find-ended.ts'
import { idsOf } from '../../access/guard/recent-callers.ts'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { Changes } from '../../platform/cache/changes.ts'
import type { Database } from '../../platform/database/database.ts'
import { isDatastoreOutage } from '../../platform/database/degraded.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { OpenStream } from './open-stream.ts'

/** What was revoked is heard for a second at most, where nobody says so: with the time that asking takes. */
const everyMs = 800

/** What checking readers leans on. */
export type CheckNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly changes: Changes
}

/**
 * Ends the streams of those who may read no more: all readers are asked about together, however many there are and
 * however long their feeds take, and at once where a process says that it has ended something.
 */
export class ReaderChecks {
  readonly #needs: CheckNeeds
  readonly #readers: ReadonlySet<OpenStream>
  readonly #states: StateLog
  #cancel: Cancel | undefined
  #isAsking = false
  #isWanted = false

  /** @param readers - Whoever reads now. */
  constructor(needs: CheckNeeds, readers: ReadonlySet<OpenStream>) {
    this.#needs = needs
    this.#readers = readers
    this.#states = new StateLog(needs.log, needs.clock)
    needs.changes.whenEnded((ended) => {
      const isOfAny = [...readers].some(({ caller }) => idsOf(caller).some((id) => ended.has(id)))
      if (isOfAny) this.#ask()
    })
  }

  /** Somebody reads: from now on it is looked whether he may, as long as anybody reads. */
  begin(): void {
    if (!this.#isAsking) this.#cancel ??= this.#needs.clock.after(everyMs, () => this.#ask())
  }

  #ask(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#isWanted = this.#isAsking
    if (this.#isAsking) return
    this.#isAsking = true
    void this.#endAll().finally(() => {
      this.#isAsking = false
      if (this.#isWanted) this.#ask()
      else if (this.#readers.size > 0) this.begin()
    })
  }

  async #endAll(): Promise<void> {
    const readers = [...this.#readers]
    try {
      const ended = await findEnded(this.#needs, new Set(readers.map(({ caller }) => caller)))
      for (const reader of readers) if (ended.has(reader.caller)) reader.end('unauthorized')
      this.#states.end('readers', 'the readers of streams can be checked again', { calmMs: 10_000 })
    } catch (error) {
      // Those who follow a feed are told of an outage where that cannot be read.
      if (isDatastoreOutage(error)) return
      this.#states.say(
        'readers',
        String(error),
        'warn',
        { err: error },
        'the readers of streams cannot be checked',
      )
    }
  }
}
