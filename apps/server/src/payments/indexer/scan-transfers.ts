import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, ChainHead } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import { listFactories } from '../../chain/factory-store.ts'
import { cursorNames, jobNames } from '../../platform/jobs/names.ts'
import type { Job, RoundOutcome } from '../../platform/jobs/ticker.ts'
import { StateLog } from '../../platform/state-log.ts'
import { listSplitAddresses } from '../../split/store.ts'
import {
  findTargetsByDeposit,
  listEndingTargets,
  listHotTargets,
  type Target,
  watchTime,
} from '../attempts/targets.ts'
import { readTrustedTags } from '../cursors/begin-look.ts'
import { runScan, type ScanNeeds } from '../cursors/scan-needs.ts'
import {
  type Cursor,
  findCursor,
  listBlocksDown,
  saveBlocks,
  saveHead,
  startCursor,
} from '../cursors/store.ts'
import { listPlacesAbove } from '../ledger/place-store.ts'
import { isAnythingDue } from '../settlement/due-store.ts'
import { listLostSources } from '../settlement/lose-reversed.ts'
import { applyStep, type Step } from './apply-step.ts'
import { findUnexplainedNative, nativeMovesOf } from './find-unexplained-native.ts'
import { isTaken, newPace, type Pace, slowDown, spanOf } from './pace.ts'
import { readBlocksAndLogs, readTransfers } from './read-transfers.ts'

/**
 * Creates the main watcher, which reads the chain block by block without gaps.
 *
 * Its state is stored only in the database. Any number of processes may run the job; one of them performs
 * each step. During a chain outage, the job waits.
 */
export function makeScanTransfersJob(needs: ScanNeeds): Job {
  const states = new StateLog(needs.log)
  const pace = newPace()
  return {
    name: jobNames.scanTransfers,
    everyMs: 1_000,
    run: () =>
      runScan(states, () => scanTransfers({ ...needs, states }, pace), { onAway: () => slowDown(pace) }),
  }
}

export async function scanTransfers(needs: ScanNeeds, pace: Pace): Promise<RoundOutcome> {
  const { db, chain } = needs
  // The head is read before the attempts, so a payment for a later attempt is above this head.
  const head = await chain.readHead()
  await saveHead(db, chain.id, head, needs.clock.now())
  const cursor = (await findCursor(db, chain.id, cursorNames.transfers)) ?? (await start(needs, head))

  const isBelow = head.latest.number < cursor.number
  if (isBelow && (await isOnlyBehind(needs, head))) return 'done'
  const isReplaced = head.latest.number === cursor.number && head.latest.hash !== cursor.hash
  if (isBelow || isReplaced) return goBack(needs, pace, head, cursor)
  if (head.latest.number === cursor.number) return lookAgain(needs, head, cursor)
  return stepForward(needs, pace, head, cursor)
}

/**
 * Handles a reorg: rolls back to the fork and scans forward in one step, so that a re-included payment is not
 * lost in between.
 */
async function goBack(needs: ScanNeeds, pace: Pace, head: ChainHead, cursor: Cursor): Promise<RoundOutcome> {
  const fork = await findFork(needs, cursor, head)
  needs.log.warn(
    { from: cursor.number.toString(), to: fork.number.toString() },
    'blocks that were scanned are no longer part of the chain; rescanning',
  )
  return stepForward(needs, pace, head, cursor, fork)
}

async function stepForward(
  needs: ScanNeeds,
  pace: Pace,
  head: ChainHead,
  cursor: Cursor,
  fork?: Cursor,
): Promise<RoundOutcome> {
  const { db, chain } = needs
  const base = fork ?? cursor
  const { targets, lost } = await listStepTargets(needs, base, fork)
  const withTransactions = targets.some(isNative)
  const end = base.number + spanOf(pace, { lost: cursor.number - base.number, withTransactions })
  const to = end < head.latest.number ? end : head.latest.number
  const splits = await listSplitAddresses(db, chain.id)
  const factories = await listFactories(db, chain)
  const watched = { splits, factories, targets }
  const range = { from: base.number + 1n, to }
  const { blocks, logs } = await readBlocksAndLogs(chain, range, { watched, withTransactions })
  const anchor = blocks[0] ? undefined : await chain.findHeader(base.number)
  if ((blocks[0]?.parentHash ?? anchor?.hash) !== base.hash)
    return fork ? 'again' : goBack(needs, pace, head, cursor)
  const last = blocks.at(-1) ?? anchor
  if (!last || (to === head.latest.number && last.hash !== head.latest.hash)) return 'again'

  const { transfers, coin } = await readTransfers(chain, blocks, watched, logs)
  if (!isTaken(pace, blocks.length, transfers.length + coin.length)) return 'again'
  const isAtHead = last.number === head.latest.number
  const ending = isAtHead ? await listEndingTargets(db, chain.id, nativeAddress, last.at) : []
  const all = withTargets(targets, ending)
  // Transfers from contracts do not appear in the transactions of a block.
  const balanceReads = isAtHead
    ? all.filter((each) => isNative(each) || lost.includes(each.depositAddress))
    : []
  const noticed = await findUnexplainedNative(needs, balanceReads, last, coin, base.number)
  const outcome = await applyStep(needs, {
    ...placeOf(head, cursor, last),
    // Balances are read only at the head. Until the scan reaches the head, no attempt expires.
    ...(!isAtHead && { coveredTo: 0 as UnixMs }),
    fork,
    blocks: blocks.map(toHeader),
    tags: await readTrustedTags(needs, head, { fresh: blocks, fork }),
    targets: all,
    transfers: [...transfers, ...noticed.transfers],
    coin: [...coin, ...nativeMovesOf(noticed)],
    noticed,
  })
  return isAtHead ? outcome : 'again'
}

function isNative({ tokenAddress }: Target): boolean {
  return tokenAddress === nativeAddress
}

async function listStepTargets(needs: ScanNeeds, base: Cursor, fork: Cursor | undefined) {
  const { db, chain } = needs
  const hot = await listHotTargets(db, chain.id, watchTime(base))
  if (!fork) return { targets: hot, lost: [] }
  const known = new Set<string>(hot.map(({ depositAddress }) => depositAddress))
  const lost = await listLostSources(db, chain.id, await listPlacesAbove(db, chain.id, fork.number))
  const cold = await findTargetsByDeposit(
    db,
    chain.id,
    lost.filter((address) => !known.has(address)),
  )
  return { targets: [...hot, ...cold], lost }
}

function withTargets(targets: readonly Target[], more: readonly Target[]): readonly Target[] {
  const known = new Set(targets.map(({ depositAddress }) => depositAddress))
  return [...targets, ...more.filter(({ depositAddress }) => !known.has(depositAddress))]
}

async function lookAgain(needs: ScanNeeds, head: ChainHead, cursor: Cursor): Promise<RoundOutcome> {
  const { db, chain, clock } = needs
  const tags = await readTrustedTags(needs, head)
  const due = { tags, coveredTo: cursor.at, now: clock.now() }
  if (!(await isAnythingDue(db, chain.id, due))) return 'done'
  const targets = await listEndingTargets(db, chain.id, nativeAddress, cursor.at)
  const noticed = await findUnexplainedNative(needs, targets, { ...cursor, parentHash: cursor.hash }, [])
  const { transfers } = noticed
  const found = { blocks: [], targets, transfers, coin: nativeMovesOf(noticed), noticed }
  return applyStep(needs, { ...placeOf(head, cursor, cursor), ...found, tags })
}

function placeOf(
  head: ChainHead,
  from: Cursor,
  to: Cursor,
): Pick<Step, 'watcher' | 'from' | 'to' | 'coveredTo'> {
  const { number, hash, at } = to.number > head.latest.number ? head.latest : to
  return { watcher: cursorNames.transfers, from, to: { number, hash, at }, coveredTo: at }
}

function toHeader({ number, hash, parentHash, at }: BlockHeader): BlockHeader {
  return { number, hash, parentHash, at }
}

async function isOnlyBehind({ db, chain }: ScanNeeds, head: ChainHead): Promise<boolean> {
  const [block] = await listBlocksDown(db, chain.id, head.latest.number, 1)
  return block?.number === head.latest.number && block.hash === head.latest.hash
}

async function start(needs: ScanNeeds, head: ChainHead): Promise<Cursor> {
  const { db, chain } = needs
  const { number, hash, at } = head.final
  await db.transaction(async (tx) => {
    if (await startCursor(tx, chain.id, cursorNames.transfers, { number, hash, at }, needs.clock.now()))
      await saveBlocks(tx, chain.id, [head.final])
  })
  const cursor = await findCursor(db, chain.id, cursorNames.transfers)
  return cursor ?? { number, hash, at }
}

/**
 * Returns the highest scanned block that is still on the chain.
 *
 * @throws {ChainUnavailable} if there is no such block.
 */
async function findFork(
  { db, chain, log, states = new StateLog(log) }: ScanNeeds,
  cursor: Cursor,
  head: ChainHead,
): Promise<Cursor> {
  let from = cursor.number < head.latest.number ? cursor.number : head.latest.number
  for (;;) {
    const remembered = await listBlocksDown(db, chain.id, from, 64)
    const [top, bottom] = [remembered[0], remembered.at(-1)]
    if (!top || !bottom) break
    const headers = await chain.readHeaders(bottom.number, top.number)
    const hashes = new Map(headers.map((header) => [header.number, header.hash]))
    const fork = remembered.find((block) => hashes.get(block.number) === block.hash)
    if (fork) return fork
    from = bottom.number - 1n
  }
  // A reset development chain may be shorter than every stored block.
  const first = isLocalNetwork(chain.id) ? await chain.findHeader(0n) : undefined
  if (first) {
    await saveBlocks(db, chain.id, [first])
    return first
  }
  const fields = { alert: 'chain-replaced', cursor: cursor.number.toString() }
  const message =
    'the chain does not contain any of the scanned blocks; check that the endpoint serves the right chain'
  states.say('blocks', 'replaced', 'error', fields, message)
  throw new ChainUnavailable('The chain does not contain any of the scanned blocks')
}
