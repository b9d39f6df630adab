import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import { listColdTargets, listHotTargets, watchTime } from '../attempts/targets.ts'
import { beginLook, isInSpanOf } from '../cursors/begin-look.ts'
import { runScan, type ScanNeeds } from '../cursors/scan-needs.ts'
import { moveCursor } from '../cursors/store.ts'
import { applyStep } from './apply-step.ts'
import { findUnexplainedNative, nativeMovesOf } from './find-unexplained-native.ts'
import { readTransfers } from './read-transfers.ts'

const everyMs = 3_600_000
const blocksPerStep = 500n

/** Runs as a separate job, because the main watcher may never have a round without a new block. */
export function makeScanClosedJob(needs: ScanNeeds): Job {
  const states = new StateLog(needs.log)
  return {
    name: jobNames.scanClosed,
    everyMs: 15_000,
    run: () => runScan(states, () => scanClosed(needs)),
  }
}

/**
 * Scans attempts that ended more than a day ago, once per hour of chain time. Finds token payments in final
 * blocks, and native coin from current balances. The main watcher reads the split calls for all attempts.
 *
 * Also checks the coin balances of open token attempts, whose blocks are read without transactions.
 */
export async function scanClosed(needs: ScanNeeds): Promise<'again' | 'done'> {
  const { db, chain, clock } = needs
  const look = await beginLook(needs, cursorNames.closed, everyMs)
  if (!look) return 'done'
  const { from, final, readAt, tags } = look
  const now = watchTime(readAt)
  const cold = await listColdTargets(db, chain.id, now)
  const hot = await listHotTargets(db, chain.id, now)
  const others = hot.filter(({ tokenAddress }) => tokenAddress !== nativeAddress)
  const targets = [...cold, ...others]
  if (targets.length === 0) {
    await moveCursor(db, chain.id, cursorNames.closed, from, final, clock.now())
    return 'done'
  }

  const end = from.number + blocksPerStep
  const isEmpty = cold.length === 0
  const blocks = isEmpty
    ? []
    : await chain.readHeaders(from.number + 1n, end < final.number ? end : final.number)
  const last = blocks.at(-1) ?? final
  const isLast = isInSpanOf(final, last, everyMs)
  const { transfers } = await readTransfers(chain, blocks, { splits: [], targets: cold })
  const block = { ...readAt, parentHash: readAt.hash }
  const noticed = await findUnexplainedNative(needs, isLast ? targets : [], block, [])
  await applyStep(needs, {
    watcher: cursorNames.closed,
    from,
    to: { number: last.number, hash: last.hash, at: last.at },
    blocks: [],
    tags,
    coveredTo: readAt.at,
    targets,
    transfers: [...transfers, ...noticed.transfers],
    coin: nativeMovesOf(noticed),
    noticed,
    readAt,
  })
  return isLast ? 'done' : 'again'
}
