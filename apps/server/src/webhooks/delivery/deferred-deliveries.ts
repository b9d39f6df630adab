import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { defer, endDeferral, findDeferred, keyOf } from '../../platform/jobs/defer.ts'
import { type DeferredItem, dropDeferred } from '../../platform/jobs/deferred-store.ts'
import { isItemError } from '../../platform/jobs/item-error.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import type { ClaimedDelivery } from '../queued-delivery.ts'
import { extendClaim } from '../store.ts'
import { listPendingOf } from './due-store.ts'

const readEveryMs = 1_000
const prefix = 'message '

type Needs = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
}

/**
 * Deferred (quarantined) deliveries. Each failed because of an error specific to that delivery, and is
 * retried later.
 */
export class DeferredDeliveries {
  readonly #needs: Needs
  #items: ReadonlyMap<string, DeferredItem> = new Map()
  #readAt: UnixMs | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /**
   * Re-reads the list if it is older than a second. Removes items whose retry is due but whose delivery is no
   * longer pending.
   */
  async refresh(): Promise<void> {
    const { db, clock } = this.#needs
    const now = clock.now()
    if (this.#readAt !== undefined && Math.abs(now - this.#readAt) < readEveryMs) return
    this.#items = await findDeferred(db, jobNames.deliverWebhooks)
    this.#readAt = now
    const tried = [...this.#items.values()].filter(({ nextTry }) => nextTry <= now)
    if (tried.length > 0) await this.#dropSettled(tried)
  }

  /** Defers a delivery if `error` is specific to that delivery; rethrows all other errors. */
  async begin(message: ClaimedDelivery, error: unknown): Promise<void> {
    if (!isItemError(error)) throw error
    const nextTry = await defer(this.#needs, nameOf(message), error)
    await extendClaim(this.#needs.db, message, nextTry)
  }

  async end(message: ClaimedDelivery): Promise<void> {
    if (this.#items.has(keyOf(nameOf(message)))) await endDeferral(this.#needs, nameOf(message))
  }

  async #dropSettled(tried: readonly DeferredItem[]): Promise<void> {
    const { db, log } = this.#needs
    const merchants = [...new Set(tried.map(({ merchant }) => merchant))]
    const ids = tried.map(({ item }) => item.slice(prefix.length))
    const pending = await listPendingOf(db, merchants, ids)
    const isPending = new Set(pending.map((message) => keyOf(nameOf(message))))
    for (const { merchant, item } of tried.filter((each) => !isPending.has(keyOf(each)))) {
      await dropDeferred(db, { job: jobNames.deliverWebhooks, merchant, item })
      log.info({ merchant, item }, 'a deferred webhook no longer needs to be sent')
    }
  }
}

function nameOf({ merchant, id }: { readonly merchant: string; readonly id: string }) {
  return { job: jobNames.deliverWebhooks, merchant, item: `${prefix}${id}` }
}
