import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { defer, endDeferral, findDeferred, keyOf } from '../../platform/jobs/defer.ts'
import { saveDeferred } from '../../platform/jobs/deferred-store.ts'
import { findOwnTimeout, isItemError } from '../../platform/jobs/item-error.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Log } from '../../platform/log.ts'
import {
  type DistributionCursor,
  findDistributionCursor,
  holdDistributionCursor,
} from '../../split/ledger/cursor-store.ts'
import {
  dropLedgerBehind,
  listLedgersBehind,
  moveLedgerBehind,
} from '../../split/ledger/ledger-behind-store.ts'
import { rewindDistribution } from '../../split/ledger/rewind-distribution.ts'
import type { BookedEvent } from '../../split/split-event.ts'
import { listSplitAddresses } from '../../split/store.ts'
import { queueReconcile } from '../reconciliation/store.ts'
import { pruneSweeps } from '../sweeping/store.ts'
import { identify, nothingBooked, notifyBooked, readSplitEvents, recordEvents } from './record-events.ts'
import { removeBookedBlocksOf } from './store.ts'

const mostBlocks = 1_000n

type Needs = { chain: Chain; clock: Clock; random: Random; log: Log }

/** Events that were just read, so that most ledgers need no other request. */
export type ReadEvents = {
  readonly above: bigint
  readonly to: bigint
  readonly byMerchant: ReadonlyMap<Wallet, readonly BookedEvent[]>
}

/**
 * Advances each ledger that is behind by one batch of blocks. A ledger that fails or is too slow is deferred;
 * the others continue.
 *
 * @returns `again` if some ledgers can continue immediately.
 */
export async function catchUpLedgers(
  needs: Needs & { db: Database },
  read?: ReadEvents,
): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const behind = await listLedgersBehind(db, chain.id)
  if (behind.size === 0) return 'done'
  const deferred = await findDeferred(db, ofLedger.job)
  const now = clock.now()
  let isAnyLeft = false
  for (const [merchant, above] of behind) {
    const item = deferred.get(keyOf(nameOf(merchant)))
    if (item && item.nextTry > now) continue
    try {
      if (!(await catchUp(needs, merchant, above, { blockCount: portionOf(item?.tries ?? 0), read })))
        continue
      isAnyLeft = true
      if (item && item.tries > 1) await saveDeferred(db, { ...item, tries: item.tries - 1 })
    } catch (error) {
      const own = await findOwnTimeout(db, error)
      if (!own && !isItemError(error)) throw error
      await defer(needs, nameOf(merchant), own ?? error)
    }
  }
  return isAnyLeft ? 'again' : 'done'
}

/**
 * Returns the batch size. The size shrinks with each failure, because the previous batch may have been too
 * slow.
 */
function portionOf(tries: number): bigint {
  const portion = mostBlocks / 4n ** BigInt(Math.min(Math.max(tries - 1, 0), 10))
  return portion > 1n ? portion : 1n
}

/**
 * Rolls back records above the block, which a reorg or an earlier try has left, then records the next batch. An
 * earlier batch stays recorded if a later one fails.
 *
 * @returns `true` if blocks remain.
 */
async function catchUp(
  needs: Needs & { db: Database },
  merchant: Wallet,
  above: bigint,
  { blockCount, read }: { readonly blockCount: bigint; readonly read: ReadEvents | undefined },
): Promise<boolean> {
  const { db, chain, clock } = needs
  const cursor = await findDistributionCursor(db, chain.id)
  if (!cursor || !(await rewindLedger(needs, cursor, merchant, above))) return false
  const isLast = above + blockCount >= cursor.number
  const range = { from: above + 1n, to: isLast ? cursor.number : above + blockCount }
  const isRead = read?.above === above && read.to === range.to
  const events = isRead ? (read.byMerchant.get(merchant) ?? []) : await readEventsOf(needs, merchant, range)
  const reading = await identify(needs, events)
  const outcome = await db.transaction(async (tx) => {
    const booked = nothingBooked()
    if (!(await lockLedger(tx, chain.id, cursor, merchant, above))) return booked
    await recordEvents({ ...needs, tx }, reading, merchant, booked)
    if (isLast) {
      await dropLedgerBehind(tx, chain.id, merchant)
      await endDeferral({ ...needs, db: tx }, nameOf(merchant))
    } else await moveLedgerBehind(tx, chain.id, merchant, range.to)
    await queueReconcile(tx, booked.settled, clock.now())
    return booked
  })
  await notifyBooked(needs, outcome)
  return !isLast
}

async function readEventsOf(
  { db, chain }: Needs & { db: Database },
  merchant: Wallet,
  range: { readonly from: bigint; readonly to: bigint },
): Promise<BookedEvent[]> {
  if (range.from > range.to) return []
  return readSplitEvents({ db, chain }, range, await listSplitAddresses(db, chain.id, merchant))
}

async function rewindLedger(
  { db, chain, clock }: Needs & { db: Database },
  cursor: DistributionCursor,
  merchant: Wallet,
  above: bigint,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockLedger(tx, chain.id, cursor, merchant, above))) return false
    const { lostSweeps } = await rewindDistribution(tx, merchant, chain.id, above, clock.now())
    await pruneSweeps(tx, merchant, chain.id, lostSweeps)
    await removeBookedBlocksOf(tx, chain.id, merchant, above)
    return true
  })
}

async function lockLedger(
  tx: Database,
  chain: number,
  cursor: DistributionCursor,
  merchant: Wallet,
  above: bigint,
): Promise<boolean> {
  if (!(await holdDistributionCursor(tx, chain, cursor))) return false
  return (await listLedgersBehind(tx, chain)).get(merchant) === above
}

const ofLedger = { job: jobNames.scanDistributions, item: 'ledger of its splits' }

function nameOf(merchant: string) {
  return { ...ofLedger, merchant }
}
