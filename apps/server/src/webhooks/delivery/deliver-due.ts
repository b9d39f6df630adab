import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job, RoundOutcome } from '../../platform/jobs/ticker.ts'
import { type Log, withKnownFields } from '../../platform/log.ts'
import type { WebhookAttempt } from '../../platform/metrics.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { ClaimedDelivery, DueDelivery } from '../queued-delivery.ts'
import { claimDeliveries, findNewerDelivery, settleDelivery, unclaimDelivery } from '../store.ts'
import { chooseDue, Load, sendLimits } from './choose-due.ts'
import { DeferredDeliveries } from './deferred-deliveries.ts'
import { findNextDue, listDueDeliveries, listMerchantsWithDue } from './due-store.ts'
import { claimMs, keepClaim, sendDelivery } from './send-delivery.ts'
import { lineOf, measure, settleAttempt } from './settle-attempt.ts'

/** Polling finds deliveries of a process that died between its commit and its notification. */
const everyMs = 1_000

/**
 * Number of deliveries listed at once. Deliveries that cannot be sent yet stay on the list for `listLifeMs`.
 */
const dueLimit = 4_000
const listLifeMs = 1_000
/** Minimum time between two listings if newer deliveries become due or no listed row can be claimed. */
const listLeastMs = 300
/** Small, so that the first deliveries are sent while the next batch is claimed. */
const claimedAtOnce = 256
/**
 * Minimum number of free slots before the next claim, because a claim costs the same for one row as for many.
 */
const roomAtOnce = 32
const merchantsAtOnce = 5_000

/** Dependencies of the delivery job. `holder` is unique among all processes, including past ones. */
export type DeliverNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly outbound: Outbound
  readonly secrets: Secrets
  readonly log: Log
  readonly holder: string
  readonly metrics?: { countWebhookAttempt(attempt: WebhookAttempt): void }
}

/** Creates the job that sends due deliveries. Notify the job after a commit that enqueues a delivery. */
export function makeDeliverJob(needs: DeliverNeeds): Job {
  const delivery = new Delivery(needs)
  return {
    name: jobNames.deliverWebhooks,
    everyMs,
    attach: (nudge) => delivery.attach(nudge),
    run: () => delivery.round(),
    drain: () => delivery.drain(),
  }
}

/**
 * Claims due deliveries and starts to send them, without waiting for any receiver.
 *
 * Each send records its own result, and then requests another round. If the process dies, the claim expires
 * and the delivery is sent again under the same idempotency key.
 */
class Delivery {
  readonly #needs: DeliverNeeds
  readonly #lines: Log
  readonly #deferred: DeferredDeliveries
  readonly #load = new Load()
  readonly #underWay = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  /** Cursor of the merchant pages, and the earliest due time found on the pages so far. */
  #after = ''
  #nextAt: UnixMs | undefined
  #nudge: () => void = () => {}
  /** Listed deliveries for which no slot was free yet. */
  #waiting: readonly DueDelivery[] = []
  #listedAt: UnixMs | undefined
  #listLifeMs = listLifeMs
  /** True if a row listed since the first page was locked or claimed by another process. */
  #isAnyLeft = false
  #isAnyClaimed = false

  constructor(needs: DeliverNeeds) {
    this.#needs = needs
    this.#deferred = new DeferredDeliveries(needs)
    this.#lines = withKnownFields(needs.log)
  }

  attach(nudge: () => void): void {
    this.#nudge = nudge
  }

  async round(): Promise<RoundOutcome> {
    const { db, clock } = this.#needs
    const now = clock.now()
    const listedAgoMs = Math.abs(now - (this.#listedAt ?? 0))
    if (this.#waiting.length > 0 && listedAgoMs < this.#listLifeMs) {
      const triedCount = await this.#start()
      return this.#untilRoom(triedCount, this.#listLifeMs - listedAgoMs)
    }
    if (this.#after === '') {
      this.#isAnyLeft = false
      this.#isAnyClaimed = false
    }
    await this.#deferred.refresh()
    const full = this.#load.full()
    const { perMerchant } = sendLimits
    const of = await this.#listMerchants(now)
    const due = await listDueDeliveries(db, { of, now, full, perMerchant, limit: dueLimit })
    this.#waiting = due
    this.#listedAt = now
    const triedCount = await this.#start()
    const isMore = due.length === dueLimit && triedCount > 0
    const horizon = addMs(now, everyMs)
    const nextAt = isMore ? now : ((await findNextDue(db, now, horizon)) ?? horizon)
    this.#nextAt = this.#nextAt === undefined || nextAt < this.#nextAt ? nextAt : this.#nextAt
    this.#listLifeMs = isMore ? listLifeMs : Math.min(listLifeMs, Math.max(listLeastMs, nextAt - now))
    if (this.#waiting.length > 0) return this.#untilRoom(triedCount, this.#listLifeMs)
    if (this.#after !== '') return 'again'
    const firstAt = this.#nextAt
    this.#nextAt = undefined
    if (firstAt <= now) return this.#untilListed()
    return { wakeInMs: firstAt - clock.now() }
  }

  #untilRoom(triedCount: number, listedForMs: number): RoundOutcome {
    if (this.#waiting.length === 0) return this.#untilListed()
    return triedCount < claimedAtOnce ? { wakeInMs: listedForMs } : 'again'
  }

  /** Delays the next listing if other processes hold all due rows, to avoid a busy loop. */
  #untilListed(): RoundOutcome {
    const isAllHeld = this.#after === '' && this.#isAnyLeft && !this.#isAnyClaimed
    return isAllHeld ? { wakeInMs: listLeastMs } : 'again'
  }

  async #listMerchants(now: UnixMs): Promise<string[]> {
    const page = { now, after: this.#after, limit: merchantsAtOnce }
    const merchants = await listMerchantsWithDue(this.#needs.db, page)
    this.#after = merchants.length === merchantsAtOnce ? (merchants.at(-1) ?? '') : ''
    return merchants
  }

  /** Aborts the sends in progress. An aborted send does not count as an attempt. */
  async drain(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#underWay)
  }

  /**
   * Claims waiting deliveries within the limits and starts them. Returns the number of deliveries that it
   * tried to claim.
   */
  async #start(): Promise<number> {
    const { db, clock, random, holder } = this.#needs
    const chosen = chooseDue(this.#waiting, this.#load, claimedAtOnce)
    const isChosen = new Set(chosen)
    // A delivery at the limit of its merchant or host leaves the list until the next listing.
    this.#waiting = this.#waiting.filter(
      (message) => !isChosen.has(message) && this.#load.isOwnRoomLeft(message),
    )
    if (chosen.length === 0) return 0
    const now = clock.now()
    const token = `${holder}:${randomUuid(random)}`
    const claim = { now, until: addMs(now, claimMs), token }
    let claimed: ClaimedDelivery[] = []
    try {
      claimed = await claimDeliveries(db, chosen, claim)
    } finally {
      const won = new Set(claimed.map((message) => message.id))
      for (const message of chosen) if (!won.has(message.id)) this.#load.remove(message)
    }
    if (claimed.length < chosen.length) this.#isAnyLeft = true
    if (claimed.length > 0) this.#isAnyClaimed = true
    for (const message of claimed) this.#deliver(message, now)
    return chosen.length
  }

  #deliver(message: ClaimedDelivery, claimedAt: UnixMs): void {
    const { log } = this.#needs
    const work = this.#sendAndSettle(message, claimedAt)
      .catch((error) => this.#deferred.begin(message, error))
      .catch((error) =>
        log.error(
          { err: error, message: message.id },
          'a delivery attempt could not be recorded; it will be repeated',
        ),
      )
      .finally(() => {
        this.#underWay.delete(work)
        this.#load.remove(message)
        const room = sendLimits.total - this.#load.total
        if (this.#waiting.length === 0 || room >= roomAtOnce) this.#nudge()
      })
    this.#underWay.add(work)
  }

  async #sendAndSettle(message: ClaimedDelivery, claimedAt: UnixMs): Promise<void> {
    const { db, clock } = this.#needs
    const newer = message.cycle > 0 ? await findNewerDelivery(db, message) : undefined
    if (newer) {
      const { attemptCount } = message
      await settleDelivery(db, message, { state: 'superseded', attemptCount, at: clock.now(), by: newer })
      await this.#deferred.end(message)
      return
    }
    const mayStillSend = () => keepClaim(this.#needs, message, claimedAt)
    const attempt = await sendDelivery(this.#needs, message, { signal: this.#stopping.signal, mayStillSend })
    if (attempt === 'stopped') await unclaimDelivery(db, message)
    else if (attempt !== 'taken') {
      await settleAttempt(this.#needs, message, attempt)
      await this.#deferred.end(message)
      const measured = measure(message, attempt)
      this.#needs.metrics?.countWebhookAttempt(measured)
      this.#lines.info(lineOf(message, attempt, measured), 'webhook attempt')
    }
  }
}
