import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { BlockHeader, Chain } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import {
  type DistributionCursor,
  findDistributionCursor,
  moveDistributionCursor,
  startDistributionCursor,
} from '../../split/ledger/cursor-store.ts'
import { lowerLedgerBehind, putLedgersBehind } from '../../split/ledger/ledger-behind-store.ts'
import { findSplitOwners, listSplitAddresses, unsureDeployments } from '../../split/store.ts'
import { catchUpLedgers, type ReadEvents } from './catch-up-ledger.ts'
import { readSplitEvents } from './record-events.ts'
import { listBookedBlocks, removeBookedBlocks } from './store.ts'

const blocksPerRound = 1_000n

type ScanDistributionsNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * Creates the job that records arrivals and releases of splits, from final blocks only.
 *
 * Each ledger catches up with the cursor in its own transactions. A failing or slow ledger delays no other.
 */
export function scanDistributionsJob(needs: ScanDistributionsNeeds): Job {
  const { db, chain, clock } = needs
  return {
    name: jobNames.scanDistributions,
    everyMs: isLocalNetwork(chain.id) ? 2_000 : 12_000,
    async run() {
      const { final } = await chain.readHead()
      const cursor = await findDistributionCursor(db, chain.id)
      if (!cursor) {
        const start = isLocalNetwork(chain.id) ? await chain.findHeader(0n) : final
        if (start) await startDistributionCursor(db, chain.id, start, clock.now())
        return start && start.number < final.number ? 'again' : 'done'
      }
      const standing = await chain.findHeader(cursor.number)
      // An endpoint that does not know the block is behind, except on a local chain.
      if (!standing && !isLocalNetwork(chain.id)) return 'done'
      if (standing?.hash !== cursor.hash) {
        await rewindScan(needs, cursor, final)
        return 'again'
      }
      if (cursor.number >= final.number) return catchUpLedgers(needs)
      const most = cursor.number + blocksPerRound
      const to = most < final.number ? await chain.findHeader(most) : final
      assert(to, 'a block below the final one has a header')
      const outcome = await catchUpLedgers(needs, await scanRange(needs, cursor, to))
      return to.number < final.number ? 'again' : outcome
    },
  }
}

/** Moves the cursor, and marks the ledgers with events in the range as behind: they catch up next. */
export async function scanRange(
  needs: ScanDistributionsNeeds,
  cursor: DistributionCursor,
  to: BlockHeader,
): Promise<ReadEvents> {
  const { db, chain, clock } = needs
  const splits = await listSplitAddresses(db, chain.id)
  const events = await readSplitEvents({ db, chain }, { from: cursor.number + 1n, to: to.number }, splits)
  const owners = await findSplitOwners(db, chain.id, [...new Set(events.map(({ split }) => split))])
  const merchantOf = new Map(owners.map(({ address, merchant }) => [address, merchant]))
  const byMerchant = new Map(
    [...Map.groupBy(events, ({ split }) => merchantOf.get(split))].flatMap(([merchant, own]) =>
      merchant ? [[merchant, own] as const] : [],
    ),
  )
  await db.transaction(async (tx) => {
    if (await moveDistributionCursor(tx, chain.id, cursor, to, clock.now()))
      await putLedgersBehind(tx, chain.id, [...byMerchant.keys()], cursor.number)
  })
  return { above: cursor.number, to: to.number, byMerchant }
}

const pageSize = 100

/** Number of blocks to rescan after final blocks were lost, if no recorded block is still on the chain. */
const farBack = 10_000n

/**
 * Handles a loss of final blocks: rolls back to the newest recorded block that is still on the chain. The
 * ledgers above it are then rolled back one at a time.
 */
async function rewindScan(
  needs: { db: Database; chain: Chain; clock: Clock; random: Random; log: Log },
  cursor: DistributionCursor,
  final: BlockHeader,
): Promise<void> {
  const { chain, clock, log } = needs
  const top = final.number < cursor.number ? final.number : cursor.number
  const standing = await findStanding(needs, top)
  const moved = await needs.db.transaction(async (tx) => {
    if (!(await moveDistributionCursor(tx, chain.id, cursor, standing, clock.now()))) return false
    await lowerLedgerBehind(tx, chain.id, standing.number)
    const merchants = await removeBookedBlocks(tx, chain.id, standing.number)
    await putLedgersBehind(tx, chain.id, merchants, standing.number)
    await unsureDeployments(tx, chain.id)
    return true
  })
  if (!moved) return
  const heights = { lostAbove: standing.number.toString(), was: cursor.number.toString() }
  log.error(heights, 'final blocks were reorged out; the split ledger was rolled back')
}

async function findStanding(needs: { db: Database; chain: Chain }, top: bigint): Promise<BlockHeader> {
  const { db, chain } = needs
  for (let below = top; ; ) {
    const booked = await listBookedBlocks(db, chain.id, below, pageSize)
    for (const { number, hash } of booked) {
      const header = await chain.findHeader(number)
      if (header?.hash === hash) return header
    }
    const last = booked.at(-1)
    if (booked.length < pageSize || !last) break
    below = last.number - 1n
  }
  const header = await chain.findHeader(top > farBack ? top - farBack : 0n)
  assert(header, 'a block below the final one has a header')
  return header
}
