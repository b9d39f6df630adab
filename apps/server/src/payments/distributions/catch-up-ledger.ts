import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { machineAway, type Places } from '../../platform/cluster/places.ts'
import type { Database } from '../../platform/database/database.ts'
import { isItemFault } from '../../platform/jobs/item-fault.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { findOwnTimeout } from '../../platform/jobs/own-timeout.ts'
import { endSetAside, setAside } from '../../platform/jobs/set-aside.ts'
import { listSetAside } from '../../platform/jobs/set-aside-store.ts'
import type { Log } from '../../platform/log.ts'
import { findDistributionCursor, holdDistributionCursor } from '../../split/ledger/cursor-store.ts'
import {
  dropLedgerBehind,
  listLedgersBehind,
  putLedgerBehind,
} from '../../split/ledger/ledger-behind-store.ts'
import { rewindDistribution } from '../../split/ledger/rewind-distribution.ts'
import { listSplitAddresses } from '../../split/store.ts'
import { queueReconcile } from '../reconciliation/store.ts'
import { pruneSweeps } from '../sweeping/store.ts'
import { bookEvents, identify, nothingBooked, notifyBooked } from './book-events.ts'
import { readSplitEvents } from './read-split-events.ts'
import { removeBookedBlocksOf } from './store.ts'

type Needs = { chain: Chain; clock: Clock; random: Random; log: Log; places?: Places }

/** Leaves a merchant's books as they stand at a block: what comes above it is not written until they catch up. */
export async function leaveLedgerBehind(
  needs: Needs & { tx: Database },
  merchant: Wallet,
  above: bigint,
  fault: unknown,
): Promise<void> {
  await putLedgerBehind(needs.tx, needs.chain.id, merchant, above)
  await setAside({ ...needs, db: needs.tx }, nameOf(merchant), fault)
}

/** Has the books that stand still catch up with the cursor, those whose next try has come; `true` where none stand still. */
export async function catchUpLedger(needs: Needs & { db: Database }): Promise<boolean> {
  const { db, chain, clock } = needs
  const waiting = await listSetAside(db, jobNames.scanDistributions)
  const due = waiting.filter(({ nextTry }) => nextTry <= clock.now())
  if (due.length === 0) return waiting.length === 0
  const behind = await listLedgersBehind(db, chain.id)
  const merchants = due.map(({ merchant }) => merchant)
  let away = await needs.places?.awayOf(merchants)
  for (const { merchant } of due) {
    if (away?.has(merchant)) {
      await setAside(needs, nameOf(merchant), machineAway())
      continue
    }
    const above = behind.get(merchant as Wallet)
    if (above === undefined) continue
    try {
      await catchUp(needs, merchant as Wallet, above)
    } catch (error) {
      const isAway = (await needs.places?.isAway(error, merchant)) ?? false
      const own = isAway ? undefined : await findOwnTimeout(db, error)
      if (!isAway && !own && !isItemFault(error)) throw error
      if (isAway) away = await needs.places?.awayOf(merchants)
      await setAside(needs, nameOf(merchant), own ?? error)
    }
  }
  return false
}

/** Takes back what may be half there above the block, and books everything from there to the cursor. */
async function catchUp(needs: Needs & { db: Database }, merchant: Wallet, above: bigint): Promise<void> {
  const { db, chain, clock } = needs
  const cursor = await findDistributionCursor(db, chain.id)
  if (!cursor) return
  const splits = await listSplitAddresses(db, chain.id, merchant)
  const range = { from: above + 1n, to: cursor.number }
  const events = range.from > range.to ? [] : await readSplitEvents({ db, chain }, range, splits)
  const reading = await identify(needs, events)
  const outcome = await db.transaction(async (tx) => {
    const booked = nothingBooked()
    // Elsewhere meanwhile: the next round reads what is missing then.
    if (!(await holdDistributionCursor(tx, chain.id, cursor))) return booked
    if ((await listLedgersBehind(tx, chain.id)).get(merchant) !== above) return booked
    const { lostSweeps } = await rewindDistribution(tx, merchant, chain.id, above, clock.now())
    await pruneSweeps(tx, merchant, chain.id, lostSweeps)
    await removeBookedBlocksOf(tx, chain.id, merchant, above)
    await bookEvents({ ...needs, tx }, reading, merchant, booked)
    await dropLedgerBehind(tx, chain.id, merchant)
    await endSetAside({ ...needs, db: tx }, nameOf(merchant))
    await queueReconcile(tx, booked.settled, clock.now())
    return booked
  })
  await notifyBooked(db, outcome)
}

function nameOf(merchant: string) {
  return { job: jobNames.scanDistributions, merchant, item: 'books of its splits' }
}
