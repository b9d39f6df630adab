import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, Chain } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { despiteStuck, doEachUnderWay, type UnderWay } from '../../platform/jobs/despite-stuck.ts'
import type { Log } from '../../platform/log.ts'
import { type DistributionCursor, moveDistributionCursor } from '../../split/ledger/cursor-store.ts'
import { lowerLedgerBehind } from '../../split/ledger/ledger-behind-store.ts'
import { rewindDistribution } from '../../split/ledger/rewind-distribution.ts'
import { unsureDeployments } from '../../split/store.ts'
import { pruneSweeps } from '../sweeping/store.ts'
import { leaveLedgerBehind } from './catch-up-ledger.ts'
import { listBookedBlocks, removeBookedBlocks } from './store.ts'

const pageSize = 100

/** How far back a chain that lost final blocks is read again where no booked block says more. */
const farBack = 10_000n

/**
 * Final blocks are gone: a local chain after a crash, or worse. Walks back to the newest block in the books
 * that still stands, takes back what lay above it, and leaves the cursor there. Books that cannot be made anew, or take
 * too long, stand still, and catch up once they can; all others are made anew.
 */
export async function rewindScan(
  needs: { db: Database; chain: Chain; clock: Clock; random: Random; log: Log },
  cursor: DistributionCursor,
  final: BlockHeader,
): Promise<void> {
  const { chain, clock, log } = needs
  const top = final.number < cursor.number ? final.number : cursor.number
  const standing = await findStanding(needs, top)
  const at = clock.now()
  const rewind = async (tx: Database, books: UnderWay<Wallet>) => {
    if (!(await moveDistributionCursor(tx, chain.id, cursor, standing, at))) return false
    await lowerLedgerBehind(tx, chain.id, standing.number)
    const merchants = await removeBookedBlocks(tx, chain.id, standing.number)
    await doEachUnderWay(tx, books, merchants, {
      nameOf: (merchant) => merchant,
      async alone(merchant) {
        const { lostSweeps } = await rewindDistribution(tx, merchant, chain.id, standing.number, at)
        await pruneSweeps(tx, merchant, chain.id, lostSweeps)
      },
      setAside: (merchant, fault) => leaveLedgerBehind({ ...needs, tx }, merchant, standing.number, fault),
    })
    await unsureDeployments(tx, chain.id)
    return true
  }
  const moved = await despiteStuck(needs, rewind)
  if (!moved) return
  const heights = { lostAbove: standing.number.toString(), was: cursor.number.toString() }
  log.error(heights, 'the chain lost final blocks; the ledger of the splits was rolled back')
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
