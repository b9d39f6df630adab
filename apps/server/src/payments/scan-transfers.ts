import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { BlockHeader, ChainHead } from '../chain/chain.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Job } from '../platform/ticker.ts'
import { listSplitAddresses } from '../split/store.ts'
import { applyStep, type Step } from './apply-range.ts'
import {
  areKnownAlike,
  type Cursor,
  findCursor,
  findTags,
  listBlocksDown,
  saveBlocks,
  saveHead,
  startCursor,
} from './cursor-store.ts'
import { findFork } from './find-fork.ts'
import { coinMovesOf, findUnexplainedCoin } from './find-unexplained-coin.ts'
import { readTransfers } from './read-transfers.ts'
import { scanClosed } from './scan-closed.ts'
import { OvertakenError, type ScanNeeds, watcherName } from './scan-needs.ts'
import { scanOld } from './scan-old.ts'
import { listLostSources } from './take-back.ts'
import { findTargetsByDeposit, listExpiredReceipts, listHotTargets, watchTime } from './targets.ts'
import { listDueReceipts } from './watch-store.ts'

const blocksPerStep = 100n

/**
 * The watcher: reads the chain block by block, without gaps, and brings receipts up to it.
 *
 * All it knows between rounds is in the database. Any number of processes may run it; each step is done by
 * one of them. While the chain cannot be reached it waits, and afterwards goes on where it stood.
 */
export function makeScanTransfersJob(needs: ScanNeeds): Job {
  const { log, chain } = needs
  let isAway = false
  return {
    name: 'scan-transfers',
    everyMs: chain.id === 31337 ? 500 : 1_000,
    async run() {
      try {
        const outcome = await scanTransfers(needs)
        if (isAway) log.info('the chain can be read again')
        isAway = false
        return outcome
      } catch (error) {
        if (error instanceof OvertakenError) return 'again'
        if (!(error instanceof Refusal && error.code === 'chain_unavailable')) throw error
        if (!isAway) log.warn({ err: error }, 'the chain cannot be read; trying on')
        isAway = true
        return 'done'
      }
    },
  }
}

/** One round: one request where there is no new block, one step along the chain where there is. */
export async function scanTransfers(needs: ScanNeeds): Promise<'again' | 'done'> {
  const { db, chain } = needs
  // The head comes first and the attempts after it: whatever pays an attempt made later lies above the head.
  const head = await chain.readHead()
  await noteHead(needs, head)
  const cursor = (await findCursor(db, chain.id, watcherName)) ?? (await start(needs, head))

  const isBelow = head.latest.number < cursor.number
  if (isBelow && (await isOnlyBehind(needs, head))) return 'done'
  const isReplaced = head.latest.number === cursor.number && head.latest.hash !== cursor.hash
  if (isBelow || isReplaced) return goBack(needs, head, cursor)
  if (head.latest.number === cursor.number) return lookAgain(needs, head, cursor)
  return stepForward(needs, head, cursor)
}

/**
 * Blocks that were read are no longer part of the chain: one step back to the fork and forward from there, so
 * that what the new blocks include again was never away.
 */
async function goBack(needs: ScanNeeds, head: ChainHead, cursor: Cursor): Promise<'again' | 'done'> {
  const fork = await findFork(needs, cursor, head)
  needs.log.warn(
    { from: cursor.number.toString(), to: fork.number.toString() },
    'blocks that were read are no longer part of the chain; going back',
  )
  return stepForward(needs, head, cursor, fork)
}

async function stepForward(
  needs: ScanNeeds,
  head: ChainHead,
  cursor: Cursor,
  fork?: Cursor,
): Promise<'again' | 'done'> {
  const { db, chain } = needs
  const base = fork ?? cursor
  const end = base.number + blocksPerStep
  const to = end < head.latest.number ? end : head.latest.number
  const targets = await listStepTargets(needs, base, fork)
  const splits = await listSplitAddresses(db, chain.id)
  const coinTargets = targets.filter(({ tokenAddress }) => tokenAddress === nativeAddress)
  const [anchor, ...blocks] =
    coinTargets.length > 0
      ? await chain.readBlocks(base.number, to)
      : await chain.readHeaders(base.number, to)
  if (anchor?.hash !== base.hash) return fork ? 'again' : goBack(needs, head, cursor)
  const last = blocks.at(-1) ?? (fork && anchor)
  const isAtHead = to === head.latest.number
  if (!last || (isAtHead && last.hash !== head.latest.hash)) return 'again'

  const { transfers, coin } = await readTransfers(chain, blocks, { splits, targets })
  const unexplained = isAtHead ? await findUnexplainedCoin(needs, coinTargets, last, coin, base.number) : []
  const outcome = await applyStep(needs, {
    ...placeOf(head, cursor, last),
    fork,
    blocks: blocks.map(toHeader),
    tags: await trustedTags(needs, head, blocks, base),
    targets,
    transfers: [...transfers, ...unexplained],
    coin: [...coin, ...coinMovesOf(unexplained)],
  })
  return isAtHead ? outcome : 'again'
}

/** The attempts to look at with every block; past a fork also those to whose money something happened. */
async function listStepTargets({ db, chain, clock }: ScanNeeds, base: Cursor, fork: Cursor | undefined) {
  const hot = await listHotTargets(db, chain.id, watchTime(clock, base))
  if (!fork) return hot
  const known = new Set<string>(hot.map(({ depositAddress }) => depositAddress))
  const lost = await listLostSources(db, chain.id, fork)
  const cold = lost.filter((address) => !known.has(address))
  return [...hot, ...(await findTargetsByDeposit(db, chain.id, cold))]
}

/** No new block: what became safe or final, what expired, and now and then the closed attempts. */
async function lookAgain(needs: ScanNeeds, head: ChainHead, cursor: Cursor): Promise<'again' | 'done'> {
  const { db, chain } = needs
  const tags = await trustedTags(needs, head, [], cursor)
  const due = await listDueReceipts(db, chain.id, tags, 1)
  const expired = await listExpiredReceipts(db, chain.id, cursor.at, 1)
  if (due.length === 0 && expired.length === 0) return lookAtClosed(needs, head, cursor)
  const nothing = { fork: undefined, blocks: [], targets: [], transfers: [], coin: [] }
  return applyStep(needs, { ...placeOf(head, cursor, cursor), ...nothing, tags })
}

async function lookAtClosed(needs: ScanNeeds, head: ChainHead, cursor: Cursor): Promise<'again' | 'done'> {
  const isMore = (await scanClosed(needs, head, cursor)) === 'again'
  return isMore ? 'again' : scanOld(needs, head, cursor)
}

function placeOf(
  head: ChainHead,
  from: Cursor,
  to: Cursor,
): Pick<Step, 'watcher' | 'from' | 'to' | 'coveredTo'> {
  const { number, hash, at } = to.number > head.latest.number ? head.latest : to
  return { watcher: watcherName, from, to: { number, hash, at }, coveredTo: at }
}

function toHeader({ number, hash, parentHash, at }: BlockHeader): BlockHeader {
  return { number, hash, parentHash, at }
}

/** The tags of a head, unless they name blocks other than those that were read. */
async function trustedTags(
  { db, chain }: ScanNeeds,
  head: ChainHead,
  fresh: readonly BlockHeader[],
  base: Cursor,
) {
  const tagged = [head.safe, head.final]
  // What is remembered above a fork is what the chain has lost.
  const remembered = tagged.filter(({ number }) => number <= base.number)
  const isAlike = fresh.every((block) =>
    tagged.every((tag) => tag.number !== block.number || tag.hash === block.hash),
  )
  if (!isAlike || !(await areKnownAlike(db, chain.id, remembered)))
    throw new Refusal('chain_unavailable', 'The chain calls blocks safe that it does not have')
  return { latest: head.latest.number, safe: head.safe.number, final: head.final.number }
}

/** Whether the endpoint is merely behind what was read: what it has is the same. */
async function isOnlyBehind({ db, chain }: ScanNeeds, head: ChainHead): Promise<boolean> {
  const [block] = await listBlocksDown(db, chain.id, head.latest.number, 1)
  return block?.number === head.latest.number && block.hash === head.latest.hash
}

async function start(needs: ScanNeeds, head: ChainHead): Promise<Cursor> {
  const { db, chain } = needs
  const { number, hash, at } = head.final
  await db.transaction(async (tx) => {
    if (await startCursor(tx, chain.id, watcherName, { number, hash, at }, needs.clock.now()))
      await saveBlocks(tx, chain.id, [head.final], number)
  })
  const cursor = await findCursor(db, chain.id, watcherName)
  return cursor ?? { number, hash, at }
}

async function noteHead({ db, chain, clock }: ScanNeeds, head: ChainHead): Promise<void> {
  const known = await findTags(db, chain.id)
  const isSame =
    known.latest === head.latest.number &&
    known.safe === head.safe.number &&
    known.final === head.final.number
  if (!isSame) await saveHead(db, chain.id, head, clock.now())
}
