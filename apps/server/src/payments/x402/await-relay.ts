import { type Clock, wait } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { RelayedPayment } from '../relaying/authorization.ts'
import { findRelay } from '../relaying/store.ts'
import { isUnderWay } from '../relaying/submit-authorization.ts'
import type { FoundBill } from './load-bill.ts'

/** How long a request waits for its block, and then for the watcher to have read it. */
const longestWaitMs = 15_000
const longestCreditMs = 5_000

const firstPauseMs = 100
const longestPauseMs = 1_000

type Needs = { readonly db: Database; readonly clock: Clock }

/** What became of a signed payment within some seconds; it goes on by itself where that was too short. */
export async function awaitRelay(needs: Needs, taken: RelayedPayment): Promise<RelayedPayment> {
  const look = async () => (await findRelay(needs.db, taken)) ?? taken
  return until(needs.clock, longestWaitMs, look, (relay) => !isUnderWay(relay))
}

/** A receipt as soon as the watcher has read the block of its payment, or after some seconds as it stands. */
export async function awaitCredit(needs: Needs, look: () => Promise<FoundBill>): Promise<FoundBill> {
  await notifyJob(needs.db, jobNames.scanTransfers)
  return until(needs.clock, longestCreditMs, look, ({ bill }) => bill !== 'open')
}

async function until<T>(
  clock: Clock,
  limitMs: number,
  look: () => Promise<T>,
  isOver: (found: T) => boolean,
): Promise<T> {
  const end = clock.now() + limitMs
  let pauseMs = firstPauseMs
  for (;;) {
    const found = await look()
    if (isOver(found) || clock.now() + pauseMs > end) return found
    await wait(clock, pauseMs)
    pauseMs = Math.min(longestPauseMs, (pauseMs * 3) / 2)
  }
}
