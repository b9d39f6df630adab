import { addMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { defer, endDeferral, listTries, triesAtOnce } from '../../platform/jobs/defer.ts'
import { postponeDeferred, saveDeferred } from '../../platform/jobs/deferred-store.ts'
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
  putLedgersBehind,
} from '../../split/ledger/ledger-behind-store.ts'
import { rewindDistribution } from '../../split/ledger/rewind-distribution.ts'
import { listSplitAddresses } from '../../split/store.ts'
import { queueReconcile } from '../reconciliation/store.ts'
import { pruneSweeps } from '../sweeping/store.ts'
import { identify, nothingBooked, notifyBooked, readSplitEvents, recordEvents } from './record-events.ts'
import { removeBookedBlocksOf } from './store.ts'

const mostBlocks = 1_000n

const putOffMs = 60_000

type Needs = { chain: Chain; clock: Clock; random: Random; log: Log }

/** Stops a merchant's ledger at a block. Later events are not recorded until the ledger catches up. */
export async function leaveLedgerBehind(
  needs: Needs & { tx: Database },
  merchant: Wallet,
  above: bigint,
  reason: unknown,
): Promise<void> {
  await putLedgersBehind(needs.tx, needs.chain.id, [merchant], above)
  await defer({ ...needs, db: needs.tx }, nameOf(merchant), reason)
}

/**
 * Advances each stopped ledger that is due for a retry by one batch of blocks.
 *
 * @returns `again` if some ledgers can continue immediately.
 */
export async function catchUpLedger(needs: Needs & { db: Database }): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const due = await listTries(needs, ofLedger.job)
  if (due.length === 0) return 'done'
  const behind = await listLedgersBehind(db, chain.id)
  const caughtUp: string[] = []
  let isAnyLeft = due.length === triesAtOnce
  for (const item of due) {
    const { merchant, tries } = item
    const above = behind.get(merchant as Wallet)
    if (above === undefined) {
      caughtUp.push(merchant)
      continue
    }
    try {
      if (!(await catchUp(needs, merchant as Wallet, above, portionOf(tries)))) continue
      isAnyLeft = true
      if (tries > 1) await saveDeferred(db, { ...item, tries: tries - 1 })
    } catch (error) {
      const own = await findOwnTimeout(db, error)
      if (!own && !isItemError(error)) throw error
      await defer(needs, nameOf(merchant), own ?? error)
    }
  }
  const now = clock.now()
  await postponeDeferred(db, ofLedger.job, caughtUp, { now, nextTry: addMs(now, putOffMs) })
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
 * Rolls back partial records above the block, then records the next batch. An earlier batch stays recorded if
 * a later one fails.
 *
 * @returns `true` if blocks remain.
 */
async function catchUp(
  needs: Needs & { db: Database },
  merchant: Wallet,
  above: bigint,
  blockCount: bigint,
): Promise<boolean> {
  const { db, chain, clock } = needs
  const cursor = await findDistributionCursor(db, chain.id)
  if (!cursor || !(await rewindLedger(needs, cursor, merchant, above))) return false
  const splits = await listSplitAddresses(db, chain.id, merchant)
  const isLast = above + blockCount >= cursor.number
  const range = { from: above + 1n, to: isLast ? cursor.number : above + blockCount }
  const events = range.from > range.to ? [] : await readSplitEvents({ db, chain }, range, splits)
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
