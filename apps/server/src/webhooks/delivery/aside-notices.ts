import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { isItemError } from '../../platform/jobs/item-fault.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { endSetAside, findAside, keyOf, setAside } from '../../platform/jobs/set-aside.ts'
import { dropSetAside, type SetAsideItem } from '../../platform/jobs/set-aside-store.ts'
import type { Log } from '../../platform/log.ts'
import type { ClaimedDelivery } from '../queued-delivery.ts'
import { extendClaim } from '../store.ts'
import { listPendingOf } from './due-store.ts'

const readEveryMs = 1_000
const prefix = 'notice '

type Needs = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
}

/** Deferred (quarantined) deliveries: each failed for a reason of its own and is retried later. */
export class AsideNotices {
  readonly #needs: Needs
  #items: ReadonlyMap<string, SetAsideItem> = new Map()
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
    this.#items = await findAside(db, jobNames.deliverWebhooks)
    this.#readAt = now
    const tried = [...this.#items.values()].filter(({ nextTry }) => nextTry <= now)
    if (tried.length > 0) await this.#dropSettled(tried)
  }

  /** Defers a delivery if `error` is an error of that delivery alone; rethrows all other errors. */
  async begin(notice: ClaimedDelivery, error: unknown): Promise<void> {
    if (!isItemError(error)) throw error
    const nextTry = await setAside(this.#needs, nameOf(notice), error)
    await extendClaim(this.#needs.db, notice, nextTry)
  }

  async end(notice: ClaimedDelivery): Promise<void> {
    if (this.#items.has(keyOf(nameOf(notice)))) await endSetAside(this.#needs, nameOf(notice))
  }

  async #dropSettled(tried: readonly SetAsideItem[]): Promise<void> {
    const { db, log } = this.#needs
    const merchants = [...new Set(tried.map(({ merchant }) => merchant))]
    const ids = tried.map(({ item }) => item.slice(prefix.length))
    const pending = await listPendingOf(db, merchants, ids)
    const isPending = new Set(pending.map((notice) => keyOf(nameOf(notice))))
    for (const { merchant, item } of tried.filter((each) => !isPending.has(keyOf(each)))) {
      await dropSetAside(db, { job: jobNames.deliverWebhooks, merchant, item })
      log.info({ merchant, item }, 'a deferred webhook is no longer to be sent')
    }
  }
}

function nameOf({ merchant, id }: { readonly merchant: string; readonly id: string }) {
  return { job: jobNames.deliverWebhooks, merchant, item: `${prefix}${id}` }
}
