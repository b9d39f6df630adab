import type { RateE8 } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { BlockHeader } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import { findRate } from '../../pricing/rates/find-rate.ts'
import { findSplitOwners } from '../../split/store.ts'
import { findTargetsByReference, type Target } from '../attempts/targets.ts'
import type { FinalityTags } from '../cursors/finality.ts'
import { OvertakenError, type ScanNeeds } from '../cursors/scan-needs.ts'
import {
  type Cursor,
  dropBlocksAbove,
  holdCursor,
  keptBelowFinal,
  moveCursor,
  pruneBlocks,
  saveBlocks,
} from '../cursors/store.ts'
import { type Finding, type Known, matchTransfer, type UnmatchedLog } from '../ledger/match-transfer.ts'
import { type NativeMove, prunePlaces, saveNativeMoves } from '../ledger/place-store.ts'
import type { Transfer } from '../ledger/transfer.ts'
import { reverseAbove, saveFindings } from '../settlement/finding-store.ts'
import { keepLogged } from '../settlement/keep-logged.ts'
import { settleDue } from '../settlement/settle-due.ts'
import { isStillUnexplained, type UnexplainedNative } from './find-unexplained-native.ts'

export type Step = {
  readonly watcher: string
  readonly from: Cursor
  readonly to: Cursor
  /** Last block shared with the chain after a reorg. Everything above it is rolled back. */
  readonly fork?: Cursor | undefined
  readonly blocks: readonly BlockHeader[]
  readonly tags: FinalityTags
  /** Time of the last block whose transfers are complete after this step. */
  readonly coveredTo: UnixMs
  readonly targets: readonly Target[]
  readonly transfers: readonly Transfer[]
  readonly coin: readonly NativeMove[]
  readonly noticed?: UnexplainedNative
  /** Block at which the balances were read: the cursor of the main watcher. */
  readonly readAt?: Cursor
}

/**
 * Applies a step in one transaction: cursor, blocks, native coin, and the findings. Then settles them, each
 * receipt in its own transaction. After a crash, the next round settles the remaining findings.
 *
 * @returns `again` if more receipts are due than one step takes.
 * @throws {OvertakenError} if another process has applied the step.
 */
export async function applyStep(needs: ScanNeeds, step: Step): Promise<'again' | 'done'> {
  const { chain } = needs
  const { findings, unmatchedLogs } = await sortOut(needs, step)
  await needs.db.transaction(async (tx) => {
    // Recording native moves takes this lock, so the ledger cannot change between the comparison and the
    // credit.
    if (step.readAt && !(await holdCursor(tx, chain.id, cursorNames.transfers, step.readAt)))
      throw new OvertakenError()
    if (!(await moveCursor(tx, chain.id, step.watcher, step.from, step.to, needs.clock.now())))
      throw new OvertakenError()
    if (step.fork) {
      await reverseAbove(tx, chain.id, step.fork.number)
      await dropBlocksAbove(tx, chain.id, step.fork.number)
    }
    if (step.noticed && !(await isStillUnexplained(tx, chain.id, step.noticed))) throw new OvertakenError()
    const kept = step.blocks.filter(({ number }) => number >= step.tags.final - keptBelowFinal)
    await saveBlocks(tx, chain.id, kept)
    if (isTimeToPrune(step)) {
      await pruneBlocks(tx, chain.id, step.tags.final)
      await prunePlaces(tx, chain.id, step.tags.final)
    }
    await saveNativeMoves(tx, chain.id, step.coin)
    await saveFindings(tx, chain.id, findings, unmatchedLogs)
  })
  const { tags, coveredTo } = step
  const outcome = await settleDue(needs, { chain: chain.id, tags, coveredTo, policy: needs.policy })
  if (outcome.isNew) await nudgeAfterNews(needs)
  return outcome.isFull ? 'again' : 'done'
}

const pruneEveryBlocks = 50n

function isTimeToPrune({ blocks }: Step): boolean {
  const [first, last] = [blocks[0], blocks.at(-1)]
  return (
    first !== undefined &&
    last !== undefined &&
    last.number / pruneEveryBlocks > (first.number - 1n) / pruneEveryBlocks
  )
}

export async function nudgeAfterNews(needs: { db: Database; clock: Clock }): Promise<void> {
  await notifyJob(needs, jobNames.deliverWebhooks)
  await notifyJob(needs, jobNames.sweepDeposits)
}

async function sortOut(
  needs: ScanNeeds,
  step: Step,
): Promise<{ findings: Finding[]; unmatchedLogs: UnmatchedLog[] }> {
  const { db, chain } = needs
  const calls = step.transfers.flatMap((transfer) => (transfer.kind === 'call' ? [transfer] : []))
  const byReference = await findTargetsByReference(
    db,
    chain.id,
    calls.map(({ reference }) => reference),
  )
  const splits = calls.map(({ splitAddress }) => splitAddress)
  const owners = splits.length > 0 ? await findSplitOwners(db, chain.id, splits) : []
  const known: Known = {
    byReference: new Map(byReference.map((target) => [target.reference, target])),
    byDeposit: new Map(step.targets.map((target) => [target.depositAddress, target])),
    splitOwners: new Map(owners.map(({ address, merchant }) => [address, merchant])),
    tokens: chain.tokens,
  }
  const ours = step.transfers.filter((transfer) => matchTransfer(known, transfer).kind !== 'none')
  const matches = (await keepLogged(needs, ours)).map((transfer) => matchTransfer(known, transfer))
  return {
    findings: await addLateRates(
      needs,
      matches.flatMap((match) => (match.kind === 'finding' ? [match.finding] : [])),
    ),
    unmatchedLogs: matches.flatMap((match) => (match.kind === 'unmatched' ? [match.unmatchedLog] : [])),
  }
}

async function addLateRates(needs: ScanNeeds, findings: readonly Finding[]): Promise<Finding[]> {
  const late = findings.filter(isLate)
  const addresses = new Set(late.map(({ tokenAddress }) => tokenAddress))
  const rates = new Map<string, RateE8>()
  for (const { symbol, address } of needs.chain.tokens) {
    if (!addresses.has(address)) continue
    const rate = await findRate({ rates: needs.rates }, symbol)
    if (rate) rates.set(address, rate.usdPerUnit)
  }
  return findings.map((finding) => {
    const lateRate = isLate(finding) ? rates.get(finding.tokenAddress) : undefined
    return lateRate === undefined ? finding : { ...finding, lateRate }
  })
}

function isLate({ block, target }: Finding): boolean {
  return block.at > target.expiresAt
}
