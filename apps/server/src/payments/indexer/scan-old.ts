import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import { listOldTargets, type Target, watchTime } from '../attempts/targets.ts'
import { beginLook } from '../cursors/begin-look.ts'
import { runScan } from '../cursors/run-scan.ts'
import type { ScanNeeds } from '../cursors/scan-needs.ts'
import type { Cursor } from '../cursors/store.ts'
import type { Transfer } from '../ledger/transfer.ts'
import { applyStep } from './apply-step.ts'
import { findFundedDeposits } from './find-funded-deposits.ts'
import { findUnexplainedNative, nativeMovesOf } from './find-unexplained-native.ts'
import { findTransferBlocks, readTransfers } from './read-transfers.ts'

const everyMs = 24 * 3_600_000 // decisions: Payments on chain, Watcher
const targetsPerCall = 200

/** The job that looks at attempts that ended more than thirty days ago. */
export function makeScanOldJob(needs: ScanNeeds): Job {
  const states = new StateLog(needs.log)
  return {
    name: jobNames.scanOld,
    everyMs: isLocalNetwork(needs.chain.id) ? 1_000 : 60_000,
    // Where the chain stands tells it that time has passed, which may be found a little later.
    sleepsThrough: ['chain_cursor'],
    run: () => runScan(states, () => scanOld(needs)),
  }
}

/**
 * Looks for money on attempts that ended more than thirty days ago, once a day of the chain's time: first which
 * of their addresses hold anything, then what came to those since the last look. One step for all of them, so
 * that a round cut off is begun anew.
 */
export async function scanOld(needs: ScanNeeds): Promise<'again' | 'done' | 'rest'> {
  const look = await beginLook(needs, cursorNames.old, everyMs)
  if (!look) return 'rest'
  const { from, final, readAt, tags } = look
  const targets = await listFunded(needs, readAt)
  const tokens = await readTokens(needs, targets, { from: from.number + 1n, to: final.number })
  const block = { ...readAt, parentHash: readAt.hash }
  const noticed = await findUnexplainedNative(needs, targets, block, [])
  return applyStep(needs, {
    watcher: cursorNames.old,
    from,
    to: final,
    blocks: [],
    tags,
    coveredTo: readAt.at,
    targets,
    transfers: [...tokens, ...noticed.transfers],
    coin: nativeMovesOf(noticed),
    noticed,
    readAt,
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
