import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { padHex } from 'viem'
import type { BlockHeader, Chain, ChainLog, Hex, LogFilter } from '../chain/chain.ts'
import { listFactories } from '../chain/factory-store.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { notifyJob } from '../platform/notify.ts'
import type { Job } from '../platform/ticker.ts'
import {
  type DistributionCursor,
  findDistributionCursor,
  moveDistributionCursor,
  startDistributionCursor,
} from '../split/cursor-store.ts'
import { decodeEvents, splitTopics, sweptTopic, transferTopic } from '../split/decode-events.ts'
import { distributeSplitsName } from '../split/distribute-due.ts'
import { findSplitVersion } from '../split/find-split.ts'
import { recordDistribution } from '../split/record-distribution.ts'
import { type BookedEvent, comparePlaces } from '../split/split-event.ts'
import { findSplitOwners, listSplitAddresses, type SplitOwner } from '../split/store.ts'
import { reconcileReceiptsName } from './reconcile-receipts.ts'
import { queueReconcile } from './reconcile-receipts-store.ts'
import { recordDirectPayments } from './record-direct.ts'
import { rewindScan } from './scan-distributions-rewind.ts'
import { findReferences, insertBookedBlocks, type ReferenceOwner } from './scan-distributions-store.ts'

const localChainId = 31337
const blocksPerRound = 1_000n
const addressesPerFilter = 500

/** What reading the splits' movements leans on. */
export type ScanDistributionsNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * The job that brings what reached and left the splits into the books, from final blocks only.
 *
 * A range is read once: books and cursor move in one transaction, and of two processes that read the same
 * range one writes nothing.
 */
export function scanDistributionsJob(needs: ScanDistributionsNeeds): Job {
  const { db, chain, clock } = needs
  return {
    name: 'scan-distributions',
    everyMs: chain.id === localChainId ? 1_000 : 12_000,
    async run() {
      const { final } = await chain.readHead()
      const cursor = await findDistributionCursor(db, chain.id)
      if (!cursor) {
        const start = chain.id === localChainId ? await chain.findHeader(0n) : final
        if (start) await startDistributionCursor(db, chain.id, start, clock.now())
        return start && start.number < final.number ? 'again' : 'done'
      }
      const standing = await chain.findHeader(cursor.number)
      // Elsewhere than on a local chain, an endpoint that does not know the block lags behind.
      if (!standing && chain.id !== localChainId) return 'done'
      if (standing?.hash !== cursor.hash) {
        await rewindScan(needs, cursor, final)
        return 'again'
      }
      if (cursor.number >= final.number) return 'done'
      const most = cursor.number + blocksPerRound
      const to = most < final.number ? await chain.findHeader(most) : final
      assert(to, 'a block below the final one has a header')
      await scanRange(needs, cursor, to)
      return to.number < final.number ? 'again' : 'done'
    },
  }
}

/** Reads the blocks above the cursor up to `to` and books them. */
export async function scanRange(
  needs: ScanDistributionsNeeds,
  cursor: DistributionCursor,
  to: BlockHeader,
): Promise<void> {
  const { db, chain, clock } = needs
  const events = await readEvents(needs, cursor.number + 1n, to)
  const owners = await findSplitOwners(db, chain.id, [...new Set(events.map(({ split }) => split))])
  const references = await findReferences(db, chain.id, referencesOf(events))

  const result = await db.transaction(async (tx) => {
    let isDue = false
    const settled: { merchant: Wallet; receiptId: string }[] = []
    if (!(await moveDistributionCursor(tx, chain.id, cursor, to, clock.now()))) return { isDue, settled }
    for (const owner of owners) {
      const { merchant } = owner
      const split = await findSplitVersion(tx, merchant, owner.version)
      assert(split, 'an address belongs to a split')
      const own = events.filter((booked) => booked.split === owner.address)
      const receiptIds = receiptsUnder(references, owner)
      for (const token of new Set(own.map((booked) => booked.token))) {
        const ofToken = own.flatMap((booked) => (booked.token === token ? [booked.event] : []))
        const recorded = await recordDistribution(tx, split, token, ofToken, receiptIds)
        const place = { chain: chain.id, merchant, split: owner.address, tokenAddress: token }
        await recordDirectPayments({ ...needs, tx }, place, ofToken, clock.now())
        isDue ||= recorded.isDue
        settled.push(...recorded.receipts.map((receiptId) => ({ merchant, receiptId })))
      }
      const blocks = new Map(own.map(({ event: { place } }) => [place.blockNumber, place.blockHash]))
      await insertBookedBlocks(
        tx,
        chain.id,
        [...blocks].map(([number, hash]) => ({ number, hash, merchant })),
      )
    }
    await queueReconcile(tx, settled, clock.now())
    return { isDue, settled }
  })
  if (result.isDue) await notifyJob(db, distributeSplitsName)
  if (result.settled.length > 0) await notifyJob(db, reconcileReceiptsName)
}

/** Everything in a range that concerns books of ours, in the order of the chain. */
async function readEvents(
  needs: ScanDistributionsNeeds,
  from: bigint,
  to: BlockHeader,
): Promise<BookedEvent[]> {
  const { db, chain } = needs
  const range = { from, to: to.number }
  const splits = await listSplitAddresses(db, chain.id)
  if (splits.length === 0) return []
  const tokens = chain.tokens.map(({ address }) => address)
  const contracts = tokens.filter((address) => address !== nativeAddress)
  const factories = await listFactories(db, chain)
  const filters: LogFilter[] = [{ ...range, addresses: factories, topics: [sweptTopic] }]
  for (let at = 0; at < splits.length; at += addressesPerFilter) {
    const addresses = splits.slice(at, at + addressesPerFilter)
    // By address too: anyone can emit the same topics by the thousand.
    filters.push({ ...range, addresses, topics: [splitTopics] })
    if (contracts.length === 0) continue
    const receivers = addresses.map((split) => padHex(split, { size: 32 }).toLowerCase() as Hex)
    filters.push({ ...range, addresses: contracts, topics: [transferTopic, null, receivers] })
  }
  const known = new Set(splits)
  const logs = (await chain.readLogsOfAll(filters)).sort(comparePlaces)
  const blockTimes = await readBlockTimes(chain, logs)
  const ours = { factories: new Set(factories), splits: known, tokens: new Set(tokens), blockTimes }
  return decodeEvents(ours, logs)
}

/** The times of the blocks in which something was logged; throws where a log is of another block. */
async function readBlockTimes(chain: Chain, logs: readonly ChainLog[]) {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const headers = await chain.findHeaders(numbers)
  const blocks = new Map(numbers.map((number, i) => [number, headers[i]]))
  for (const { blockNumber, blockHash } of logs) {
    const header = blocks.get(blockNumber)
    assert(header, 'a final block with a log has a header')
    assert(header.hash === blockHash, 'the endpoints agree on final blocks')
  }
  return new Map(headers.flatMap((header) => (header ? [[header.number, header.at] as const] : [])))
}

function referencesOf(events: readonly BookedEvent[]): Hex[] {
  return [
    ...new Set(events.flatMap(({ event }) => (event.kind === 'arrived' ? (event.reference ?? []) : []))),
  ]
}

/** By reference: the receipts whose attempts were made for this split. Under another split's it is nobody's. */
function receiptsUnder(references: readonly ReferenceOwner[], owner: SplitOwner): Map<Hex, string> {
  return new Map(
    references.flatMap(({ reference, merchant, receiptId, split }) =>
      merchant === owner.merchant && split === owner.address ? [[reference, receiptId] as const] : [],
    ),
  )
}
