import type { ChainHead } from '../chain/chain.ts'
import { applyStep } from './apply-range.ts'
import { type Cursor, findCursor, moveCursor, startCursor } from './cursor-store.ts'
import { coinMovesOf, findUnexplainedCoin } from './find-unexplained-coin.ts'
import { readTransfers } from './read-transfers.ts'
import type { ScanNeeds } from './scan-needs.ts'
import { listColdTargets, watchTime } from './targets.ts'

const everyMs = 3_600_000 // decisions: Payments on chain, Watcher
const blocksPerStep = 500n
const closedWatcherName = 'transfers-closed'

/**
 * Looks for money on attempts that ended more than a day ago, once an hour of the chain's time: tokens in
 * the final blocks since the last look, coin by the balances of now. Calls are never missed meanwhile: the
 * watcher reads those of all attempts with every block.
 *
 * @param cursor - Where the watcher stands; it has read everything up to the head.
 */
export async function scanClosed(
  needs: ScanNeeds,
  head: ChainHead,
  cursor: Cursor,
): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const now = clock.now()
  const { number, hash, at } = head.final
  const final = { number, hash, at }
  const from = await findCursor(db, chain.id, closedWatcherName)
  if (!from || from.number > final.number) {
    if (!from) await startCursor(db, chain.id, closedWatcherName, final, now)
    return 'done'
  }
  if (final.at - from.at < everyMs) return 'done'
  const targets = await listColdTargets(db, chain.id, watchTime(clock, cursor))
  if (targets.length === 0) {
    await moveCursor(db, chain.id, closedWatcherName, from, final, now)
    return 'done'
  }

  const end = from.number + blocksPerStep
  const isLast = end >= final.number
  const blocks = await chain.readHeaders(from.number + 1n, isLast ? final.number : end)
  const last = blocks.at(-1) ?? final
  const { transfers } = await readTransfers(chain, blocks, { splits: [], targets })
  const block = { ...cursor, parentHash: cursor.hash }
  const coin = isLast ? await findUnexplainedCoin(needs, targets, block, []) : []
  await applyStep(needs, {
    watcher: closedWatcherName,
    from,
    to: { number: last.number, hash: last.hash, at: last.at },
    fork: undefined,
    blocks: [],
    tags: { latest: head.latest.number, safe: head.safe.number, final: head.final.number },
    coveredTo: cursor.at,
    targets,
    transfers: [...transfers, ...coin],
    coin: coinMovesOf(coin),
  })
  return isLast ? 'done' : 'again'
}
