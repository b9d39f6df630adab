import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { ChainHead } from '../chain/chain.ts'
import { applyStep } from './apply-range.ts'
import { type Cursor, findCursor, startCursor } from './cursor-store.ts'
import { findFundedDeposits } from './find-funded-deposits.ts'
import { coinMovesOf, findUnexplainedCoin } from './find-unexplained-coin.ts'
import { findTransferBlocks, readTransfers } from './read-transfers.ts'
import type { ScanNeeds } from './scan-needs.ts'
import { listOldTargets, type Target, watchTime } from './targets.ts'
import type { Transfer } from './transfer.ts'

const everyMs = 24 * 3_600_000 // decisions: Payments on chain, Watcher
const targetsPerCall = 200
const oldWatcherName = 'transfers-old'

/**
 * Looks for money on attempts that ended more than thirty days ago, once a day of the chain's time: first which
 * of their addresses hold anything, then what came to those since the last look. One step for all of them, so
 * that a round cut off is begun anew.
 *
 * @param cursor - Where the watcher stands; it has read everything up to the head.
 */
export async function scanOld(needs: ScanNeeds, head: ChainHead, cursor: Cursor): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const { number, hash, at } = head.final
  const final = { number, hash, at }
  const from = await findCursor(db, chain.id, oldWatcherName)
  if (!from) await startCursor(db, chain.id, oldWatcherName, final, clock.now())
  if (!from || final.number <= from.number || final.at - from.at < everyMs) return 'done'

  const targets = await listFunded(needs, cursor)
  const tokens = await readTokens(needs, targets, { from: from.number + 1n, to: final.number })
  const block = { ...cursor, parentHash: cursor.hash }
  const coin = await findUnexplainedCoin(needs, targets, block, [])
  return applyStep(needs, {
    watcher: oldWatcherName,
    from,
    to: final,
    fork: undefined,
    blocks: [],
    tags: { latest: head.latest.number, safe: head.safe.number, final: final.number },
    coveredTo: cursor.at,
    targets,
    transfers: [...tokens, ...coin],
    coin: coinMovesOf(coin),
  })
}

async function listFunded({ db, chain, clock }: ScanNeeds, cursor: Cursor): Promise<Target[]> {
  const now = watchTime(clock, cursor)
  const funded: Target[] = []
  let after = ''
  for (;;) {
    const page = await listOldTargets(db, chain.id, now, after, targetsPerCall)
    const deposits: Wallet[] = page.map(({ depositAddress }) => depositAddress)
    const last = deposits.at(-1)
    if (last === undefined) return funded
    const holding = await findFundedDeposits(chain, deposits)
    funded.push(...page.filter(({ depositAddress }) => holding.has(depositAddress)))
    after = last
  }
}

async function readTokens(
  { chain }: ScanNeeds,
  targets: readonly Target[],
  range: { from: bigint; to: bigint },
): Promise<Transfer[]> {
  if (targets.length === 0) return []
  const found: Transfer[] = []
  for (const number of await findTransferBlocks(chain, range, targets)) {
    const header = await chain.findHeader(number)
    const { transfers } = await readTransfers(chain, header ? [header] : [], { splits: [], targets })
    found.push(...transfers)
  }
  return found
}
