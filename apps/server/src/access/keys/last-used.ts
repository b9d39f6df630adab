import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import { touchSubscriptions } from './key-store.ts'

/** Precision of last-used times, in milliseconds. */
const stepMs = 60_000
const flushEveryMs = 1_000
const maxWaiting = 5_000
const maxBytes = 2 * 1024 * 1024
const entryBytes = 16

type Use = { readonly merchant: Wallet; readonly id: string; readonly at: UnixMs }

/**
 * Buffers last-used times, at most one a minute per subscription, and writes them in batches. A crash loses
 * up to a second of them.
 */
export class LastUsed {
  readonly #db: Database
  readonly #noted = new BoundedMap<number>(maxBytes, () => entryBytes)
  #waiting = new Map<string, Use>()

  constructor({ db }: { db: Database }) {
    this.#db = db
  }

  note({ merchant, subscriptionId: id }: { merchant: Wallet; subscriptionId: string }, at: UnixMs): void {
    const last = this.#noted.peek(id)
    if (last !== undefined && at >= last && at - last < stepMs) return
    if (this.#waiting.size >= maxWaiting) return
    this.#noted.set(id, at)
    this.#waiting.set(id, { merchant, id, at })
  }

  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return
    const uses = this.#waiting
    this.#waiting = new Map()
    try {
      // A fixed order prevents deadlocks between processes.
      await touchSubscriptions(
        this.#db,
        [...uses.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      )
    } catch (error) {
      for (const [id, use] of uses) if (!this.#waiting.has(id)) this.#waiting.set(id, use)
      throw error
    }
  }

  makeJob({ log }: { log: Log }): Job {
    return {
      name: jobNames.writeLastUsed,
      everyMs: flushEveryMs,
      run: async () => {
        await this.flush()
        return 'done'
      },
      drain: () =>
        this.flush().catch((error) => log.warn({ err: error }, 'the last use of keys could not be recorded')),
    }
  }
}
