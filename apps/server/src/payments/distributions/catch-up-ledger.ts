import { addMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { findOwnTimeout, isItemFault } from '../../platform/jobs/item-fault.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { endSetAside, listTries, setAside, triesAtOnce } from '../../platform/jobs/set-aside.ts'
import { putOffSetAside } from '../../platform/jobs/set-aside-store.ts'
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
import { bookEvents, identify, nothingBooked, notifyBooked } from './book-events.ts'
import { readSplitEvents } from './read-split-events.ts'
import { removeBookedBlocksOf } from './store.ts'

/** As many blocks are booked in one transaction, as the scan has it. */
const mostBlocks = 1_000n

const putOffMs = 60_000

/**
 * How many blocks the next portion of somebody's books takes, where it is another number than usual: of use to one
 * process, and to be lost at any time.
 */
export type CatchUpPace = Map<Wallet, bigint>

type Needs = { chain: Chain; clock: Clock; random: Random; log: Log }

/** Leaves the books of a merchant as they stand at a block: what comes above it is not written until they catch up. */
export async function leaveLedgerBehind(
  needs: Needs & { tx: Database },
  merchant: Wallet,
  above: bigint,
  fault: unknown,
): Promise<void> {
  await putLedgersBehind(needs.tx, needs.chain.id, [merchant], above)
  await setAside({ ...needs, db: needs.tx }, nameOf(merchant), fault)
}

/**
 * Has the books that stand still go on towards the cursor, those whose next try has come, some hundreds at most: by a
 * portion of blocks each, and by fewer after one that took too long.
 *
 * @returns `again` where some of them may go on at once.
 */
export async function catchUpLedger(
  needs: Needs & { db: Database },
  pace: CatchUpPace,
): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const due = await listTries(needs, ofBooks.job)
  if (due.length === 0) return 'done'
  const behind = await listLedgersBehind(db, chain.id)
  const caughtUp: string[] = []
  let isAnyLeft = due.length === triesAtOnce
  for (const { merchant } of due) {
    const above = behind.get(merchant as Wallet)
    if (above === undefined) {
      caughtUp.push(merchant)
      continue
    }
    try {
      if (await catchUp(needs, pace, merchant as Wallet, above)) isAnyLeft = true
    } catch (error) {
      const own = await findOwnTimeout(db, error)
      if (!own && !isItemFault(error)) throw error
      if (own && slowDown(pace, merchant as Wallet)) {
        isAnyLeft = true
        continue
      }
      await setAside(needs, nameOf(merchant), own ?? error)
    }
  }
  const now = clock.now()
  // By another process meanwhile. What is left of one for whatever reason keeps nobody from a turn.
  await putOffSetAside(db, ofBooks.job, caughtUp, { now, nextTry: addMs(now, putOffMs) })
  return isAnyLeft ? 'again' : 'done'
}

/** After a portion that took too long: a quarter of it next time; `false` where it cannot be less. */
function slowDown(pace: CatchUpPace, merchant: Wallet): boolean {
  const blockCount = pace.get(merchant) ?? mostBlocks
  if (blockCount <= 1n) return false
  pace.set(merchant, blockCount > 4n ? blockCount / 4n : 1n)
  return true
}

/** After a portion that went well: twice as many next time. */
function speedUp(pace: CatchUpPace, merchant: Wallet): void {
  const twice = 2n * (pace.get(merchant) ?? mostBlocks)
  if (twice < mostBlocks) pace.set(merchant, twice)
  else pace.delete(merchant)
}

/**
 * Takes back what may be half there above the block, and books the next blocks towards the cursor, as many as the pace
 * says: what was booked is kept, whatever becomes of those after it.
 *
 * @returns whether there are more.
 */
async function catchUp(
  needs: Needs & { db: Database },
  pace: CatchUpPace,
  merchant: Wallet,
  above: bigint,
): Promise<boolean> {
  const { db, chain, clock } = needs
  const cursor = await findDistributionCursor(db, chain.id)
  if (!cursor || !(await rewindBooks(needs, cursor, merchant, above))) return false
  const splits = await listSplitAddresses(db, chain.id, merchant)
  const blockCount = pace.get(merchant) ?? mostBlocks
  const isLast = above + blockCount >= cursor.number
  const range = { from: above + 1n, to: isLast ? cursor.number : above + blockCount }
  if (isLast) pace.set(merchant, range.to - above)
  const events = range.from > range.to ? [] : await readSplitEvents({ db, chain }, range, splits)
  const reading = await identify(needs, events)
  const outcome = await db.transaction(async (tx) => {
    const booked = nothingBooked()
    if (!(await holdBooks(tx, chain.id, cursor, merchant, above))) return booked
    await bookEvents({ ...needs, tx }, reading, merchant, booked)
    if (isLast) {
      await dropLedgerBehind(tx, chain.id, merchant)
      await endSetAside({ ...needs, db: tx }, nameOf(merchant))
    } else await moveLedgerBehind(tx, chain.id, merchant, range.to)
    await queueReconcile(tx, booked.settled, clock.now())
    return booked
  })
  await notifyBooked(db, outcome)
  if (isLast) pace.delete(merchant)
  else speedUp(pace, merchant)
  return !isLast
}

/** Takes back what may be half there above the block; `false` where somebody else has them elsewhere meanwhile. */
async function rewindBooks(
  { db, chain, clock }: Needs & { db: Database },
  cursor: DistributionCursor,
  merchant: Wallet,
  above: bigint,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await holdBooks(tx, chain.id, cursor, merchant, above))) return false
    const { lostSweeps } = await rewindDistribution(tx, merchant, chain.id, above, clock.now())
    await pruneSweeps(tx, merchant, chain.id, lostSweeps)
    await removeBookedBlocksOf(tx, chain.id, merchant, above)
    return true
  })
}

/** Holds the cursor where it was read, while the books stand where they did; else the next round reads what is missing then. */
async function holdBooks(
  tx: Database,
  chain: number,
  cursor: DistributionCursor,
  merchant: Wallet,
  above: bigint,
): Promise<boolean> {
  if (!(await holdDistributionCursor(tx, chain, cursor))) return false
  return (await listLedgersBehind(tx, chain)).get(merchant) === above
}

const ofBooks = { job: jobNames.scanDistributions, item: 'books of its splits' }

function nameOf(merchant: string) {
  return { ...ofBooks, merchant }
}
