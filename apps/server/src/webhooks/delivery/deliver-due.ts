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
import { AsideNotices } from './aside-notices.ts'
import { chooseDue, Load, sendLimits } from './choose-due.ts'
import { findNextDue, listDueDeliveries, listMerchantsWithDue } from './due-store.ts'
import { claimMs, keepClaim, sendDelivery } from './send-delivery.ts'
import { lineOf, measure, settleAttempt } from './settle-attempt.ts'

/** A notice is found at this pace that a process enqueued which died before it could say so. */
const everyMs = 1_000

/** So many are listed at once; those there is no room for are sent from that list, for so long. */
const dueLimit = 4_000
const listLifeMs = 1_000
/** Nor is it listed more often than this where some that are not on the list fall due meanwhile, or none can be claimed. */
const listLeastMs = 300
/** So few are claimed at a time that the first are on their way while the next are claimed. */
const claimedAtOnce = 256
/** While some are listed, so many are claimed at least: a claim costs the same for one. */
const roomAtOnce = 32
const merchantsAtOnce = 5_000

/** What delivering needs; `holder` names this process among all others, past ones included. */
export type DeliverNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly outbound: Outbound
  readonly secrets: Secrets
  readonly log: Log
  readonly holder: string
  /** Told of each attempt that was written down. */
  readonly metrics?: { countWebhookAttempt(attempt: WebhookAttempt): void }
}

/** The job that sends the notices that are due. Nudge it after a commit that enqueued one. */
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
 * Rounds that claim what is due and start sending it, without waiting for any receiver: each send
 * ends by itself, writes down what came of it and asks for another round.
 *
 * Killed anywhere, a claim runs out and the notice is sent again, under the same idempotency key.
 */
class Delivery {
  readonly #needs: DeliverNeeds
  readonly #lines: Log
  readonly #aside: AsideNotices
  readonly #load = new Load()
  readonly #underWay = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  /** Where the next page of merchants begins, and when the first notice of the pages before it falls due. */
  #after = ''
  #nextAt: UnixMs | undefined
  #nudge: () => void = () => {}
  /** Listed a moment ago, when as many were under way as may be. */
  #waiting: readonly DueDelivery[] = []
  #listedAt: UnixMs | undefined
  #listLifeMs = listLifeMs
  /** Of all merchants' listed since the first page: some were not claimed, since somebody held their rows, or was quicker. */
  #isAnyLeft = false
  /** Of the same: some were claimed. */
  #isAnyClaimed = false

  constructor(needs: DeliverNeeds) {
    this.#needs = needs
    this.#aside = new AsideNotices(needs)
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
    await this.#aside.refresh()
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

  /** When to go on after a round that has tried so many: some may be waiting, whose list is good for so long. */
  #untilRoom(triedCount: number, listedForMs: number): RoundOutcome {
    if (this.#waiting.length === 0) return this.#untilListed()
    return triedCount < claimedAtOnce ? { wakeInMs: listedForMs } : 'again'
  }

  /** When to list anew: rows that somebody holds, where no others are due, are listed again and again otherwise. */
  #untilListed(): RoundOutcome {
    const isAllHeld = this.#after === '' && this.#isAnyLeft && !this.#isAnyClaimed
    return isAllHeld ? { wakeInMs: listLeastMs } : 'again'
  }

  /** Who has notices to be sent: a part of them at a time, where they are very many. */
  async #listMerchants(now: UnixMs): Promise<string[]> {
    const page = { now, after: this.#after, limit: merchantsAtOnce }
    const merchants = await listMerchantsWithDue(this.#needs.db, page)
    this.#after = merchants.length === merchantsAtOnce ? (merchants.at(-1) ?? '') : ''
    return merchants
  }

  /** Stops the sends under way, which counts as no attempt. */
  async drain(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#underWay)
  }

  /** Claims those of the waiting that there is room for, and starts what it got; how many it tried to claim. */
  async #start(): Promise<number> {
    const { db, clock, random, holder } = this.#needs
    const chosen = chooseDue(this.#waiting, this.#load, claimedAtOnce)
    const isChosen = new Set(chosen)
    // Whoever waits for receivers of his own is listed again once these have answered, and keeps nobody from the list.
    this.#waiting = this.#waiting.filter(
      (notice) => !isChosen.has(notice) && this.#load.isOwnRoomLeft(notice),
    )
    if (chosen.length === 0) return 0
    const now = clock.now()
    const token = `${holder}:${randomUuid(random)}`
    const claim = { now, until: addMs(now, claimMs), token }
    let claimed: ClaimedDelivery[] = []
    try {
      claimed = await claimDeliveries(db, chosen, claim)
    } finally {
      const won = new Set(claimed.map((notice) => notice.id))
      for (const notice of chosen) if (!won.has(notice.id)) this.#load.remove(notice)
    }
    if (claimed.length < chosen.length) this.#isAnyLeft = true
    if (claimed.length > 0) this.#isAnyClaimed = true
    for (const notice of claimed) this.#deliver(notice, now)
    return chosen.length
  }

  #deliver(notice: ClaimedDelivery, claimedAt: UnixMs): void {
    const { log } = this.#needs
    const work = this.#sendAndSettle(notice, claimedAt)
      .catch((error) => this.#aside.begin(notice, error))
      .catch((error) =>
        log.error(
          { err: error, notice: notice.id },
          'a delivery attempt was not recorded; it will be repeated',
        ),
      )
      .finally(() => {
        this.#underWay.delete(work)
        this.#load.remove(notice)
        const room = sendLimits.total - this.#load.total
        if (this.#waiting.length === 0 || room >= roomAtOnce) this.#nudge()
      })
    this.#underWay.add(work)
  }

  async #sendAndSettle(notice: ClaimedDelivery, claimedAt: UnixMs): Promise<void> {
    const { db, clock } = this.#needs
    const newer = notice.cycle > 0 ? await findNewerDelivery(db, notice) : undefined
    if (newer) {
      const { attemptCount } = notice
      await settleDelivery(db, notice, { state: 'superseded', attemptCount, at: clock.now(), by: newer })
      await this.#aside.end(notice)
      return
    }
    const mayStillSend = () => keepClaim(this.#needs, notice, claimedAt)
    const attempt = await sendDelivery(this.#needs, notice, { signal: this.#stopping.signal, mayStillSend })
    if (attempt === 'stopped') await unclaimDelivery(db, notice)
    else if (attempt !== 'taken') {
      await settleAttempt(this.#needs, notice, attempt)
      await this.#aside.end(notice)
      const measured = measure(notice, attempt)
      this.#needs.metrics?.countWebhookAttempt(measured)
      this.#lines.info(lineOf(notice, attempt, measured), 'webhook attempt')
    }
  }
}
