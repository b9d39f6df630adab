import type { TokenUnits } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { holdLease } from '../../platform/jobs/lease.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Timings } from '../../platform/jobs/timings.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { changeSession, type PayNeeds } from './pay-session.ts'
import { markDelivered, settle } from './session.ts'
import { signEvent } from './signed-event.ts'
import {
  deferEvent,
  dropEvent,
  listDueAccounts,
  listDueEvents,
  listUnpaidSessions,
  pruneSandbox,
  type WaitingEvent,
} from './store.ts'

export type Payout = {
  readonly session: string
  readonly token: Wallet
  readonly to: Wallet
  readonly units: TokenUnits
}

export interface Treasury {
  /**
   * Sends each payout exactly once, regardless of the number of calls.
   *
   * @returns transaction hashes by session id.
   */
  pay(payouts: readonly Payout[]): Promise<ReadonlyMap<string, string>>
}

const batchLength = 50
const keptForMs = 30 * 24 * 3_600_000

/**
 * Creates the sandbox job: settles or returns due bank payments, delivers tokens and sends events. The job
 * resumes after a crash, because all its state is stored in tables.
 */
export function runSandboxJob(
  needs: PayNeeds &
    SendNeeds & { readonly treasury: Treasury; readonly timings: Timings; readonly holder: string },
): Job {
  const name = jobNames.runSandbox
  const { db, clock } = needs
  let prunedAt = 0
  return {
    name,
    everyMs: 1_000,
    async run() {
      const isOld = clock.now() - prunedAt >= 3_600_000
      if (!isOld && !(await isAnythingDue(needs))) return 'done'
      await holdLease(needs, name, `${needs.holder}:${name}`, async () => {
        await settleAccounts(needs)
        await sendEvents(needs)
        await deliver(needs)
        await sendEvents(needs)
        if (!isOld) return
        prunedAt = clock.now()
        await pruneSandbox(db, addMs(clock.now(), -keptForMs) as UnixMs)
      })
      return 'done'
    },
  }
}

async function isAnythingDue({ db, clock }: PayNeeds): Promise<boolean> {
  const now = clock.now()
  const found = [
    await listDueAccounts(db, now, 1),
    await listDueEvents(db, now, 1),
    await listUnpaidSessions(db, 1),
  ]
  return found.some(({ length }) => length > 0)
}

async function settleAccounts(needs: PayNeeds): Promise<void> {
  const now = needs.clock.now()
  for (const id of await listDueAccounts(needs.db, now, batchLength))
    await changeSession(needs, id, (before) =>
      before.state === 'ach_pending' ? settle(before, now) : undefined,
    )
}

async function deliver(needs: PayNeeds & { readonly treasury: Treasury }): Promise<void> {
  const unpaid = await listUnpaidSessions(needs.db, batchLength)
  if (unpaid.length === 0) return
  const payouts = unpaid.map(({ id, token, depositAddress, units }) => ({
    session: id,
    token,
    to: depositAddress,
    units,
  }))
  for (const [id, hash] of await needs.treasury.pay(payouts))
    await changeSession(needs, id, (before, now) =>
      before.state === 'accepted' ? markDelivered(before, hash, now) : undefined,
    )
}

type SendNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly outbound: Outbound
  readonly eventsUrl: string
  readonly secret: string
}

const timeoutMs = 5_000
const eventsPerRound = 50
const longestPauseMs = 3_600_000
/** Covers about three days, the period during which real providers retry. */
const maxTries = 80

/**
 * Sends due events over HTTP. Retries the same bytes with exponential backoff unless the response is 2xx.
 * After a crash, an event can be delivered twice.
 */
export async function sendEvents(needs: SendNeeds): Promise<void> {
  const { db, clock } = needs
  for (const event of await listDueEvents(db, clock.now(), eventsPerRound)) {
    const isTaken = await send(needs, event)
    if (isTaken || event.tries >= maxTries) await dropEvent(db, event.id)
    else
      await deferEvent(
        db,
        event,
        addMs(clock.now(), Math.min(longestPauseMs, 500 * 2 ** Math.min(event.tries, 20))),
      )
  }
}

async function send(
  { outbound, clock, log, eventsUrl, secret }: SendNeeds,
  event: WaitingEvent,
): Promise<boolean> {
  const outcome = await outbound.request({
    method: 'POST',
    url: eventsUrl,
    headers: { 'content-type': 'application/json', ...signEvent(secret, event.body, clock.now()) },
    body: event.body,
    timeoutMs,
    maxResponseBytes: 16 * 1024,
    isBodyOptional: true,
  })
  if (outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300) return true
  const response = outcome.kind === 'response' ? { status: outcome.status } : { error: outcome.error }
  log.info(
    { event: event.id, tries: event.tries + 1, ...response },
    'an event of the card sandbox was not accepted',
  )
  return false
}
