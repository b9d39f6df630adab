import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Chain } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { despiteStuck, doEachUnderWay, type UnderWay } from '../../platform/jobs/despite-stuck.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import {
  type DistributionCursor,
  findDistributionCursor,
  moveDistributionCursor,
  startDistributionCursor,
} from '../../split/ledger/cursor-store.ts'
import { listLedgersBehind, lowerLedgerBehind } from '../../split/ledger/ledger-behind-store.ts'
import { rewindDistribution } from '../../split/ledger/rewind-distribution.ts'
import { listSplitAddresses, unsureDeployments } from '../../split/store.ts'
import { queueReconcile } from '../reconciliation/store.ts'
import { pruneSweeps } from '../sweeping/store.ts'
import { catchUpLedger, leaveLedgerBehind } from './catch-up-ledger.ts'
import { identify, nothingBooked, notifyBooked, readSplitEvents, recordEvents } from './record-events.ts'
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
 * Ledger and cursor move in one transaction, so that concurrent processes record a range once. A failing or
 * slow ledger stops and catches up later; the others continue.
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
      if (cursor.number >= final.number) return catchUpLedger(needs)
      const most = cursor.number + blocksPerRound
      const to = most < final.number ? await chain.findHeader(most) : final
      assert(to, 'a block below the final one has a header')
      await scanRange(needs, cursor, to)
      if (to.number < final.number) return 'again'
      return catchUpLedger(needs)
    },
  }
}

export async function scanRange(
  needs: ScanDistributionsNeeds,
  cursor: DistributionCursor,
  to: BlockHeader,
): Promise<void> {
  const { db, chain, clock } = needs
  const splits = await listSplitAddresses(db, chain.id)
  const range = { from: cursor.number + 1n, to: to.number }
  const reading = await identify(needs, await readSplitEvents({ db, chain }, range, splits))
  const merchants = [...reading.keys()]
  const book = async (tx: Database, ledger: UnderWay<Wallet>) => {
    const booked = nothingBooked()
    if (!(await moveDistributionCursor(tx, chain.id, cursor, to, clock.now()))) return booked
    const behind = await listLedgersBehind(tx, chain.id)
    const upToDate = merchants.filter((merchant) => !behind.has(merchant))
    await doEachUnderWay(tx, ledger, upToDate, {
      nameOf: (merchant) => merchant,
      alone: (merchant) => recordEvents({ ...needs, tx }, reading, merchant, booked),
      defer: (merchant, error) => leaveLedgerBehind({ ...needs, tx }, merchant, cursor.number, error),
    })
    await queueReconcile(tx, booked.settled, clock.now())
    return booked
  }
  await notifyBooked(needs, await despiteStuck(needs, book))
}

const pageSize = 100

/** Number of blocks to rescan after final blocks were lost, if no recorded block is still on the chain. */
const farBack = 10_000n

/**
 * Handles a loss of final blocks: rolls back to the newest recorded block that is still on the chain. Failing
 * or slow ledgers stop and catch up later.
 */
async function rewindScan(
  needs: { db: Database; chain: Chain; clock: Clock; random: Random; log: Log },
  cursor: DistributionCursor,
  final: BlockHeader,
): Promise<void> {
  const { chain, clock, log } = needs
  const top = final.number < cursor.number ? final.number : cursor.number
  const standing = await findStanding(needs, top)
  const at = clock.now()
  const rewind = async (tx: Database, ledger: UnderWay<Wallet>) => {
    if (!(await moveDistributionCursor(tx, chain.id, cursor, standing, at))) return false
    await lowerLedgerBehind(tx, chain.id, standing.number)
    const merchants = await removeBookedBlocks(tx, chain.id, standing.number)
    await doEachUnderWay(tx, ledger, merchants, {
      nameOf: (merchant) => merchant,
      async alone(merchant) {
        const { lostSweeps } = await rewindDistribution(tx, merchant, chain.id, standing.number, at)
        await pruneSweeps(tx, merchant, chain.id, lostSweeps)
      },
      defer: (merchant, error) => leaveLedgerBehind({ ...needs, tx }, merchant, standing.number, error),
    })
    await unsureDeployments(tx, chain.id)
    return true
  }
  const moved = await despiteStuck(needs, rewind)
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
