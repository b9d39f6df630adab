import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { padHex } from 'viem'
import type { Chain, ChainLog, Hex, LogFilter } from '../../chain/chain.ts'
import { listFactories } from '../../chain/factory-store.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { findSplitVersion } from '../../split/find-split.ts'
import { decodeEvents, splitTopics, sweptTopic, transferTopic } from '../../split/ledger/decode-events.ts'
import { recordDistribution } from '../../split/ledger/record-distribution.ts'
import { type BookedEvent, comparePlaces } from '../../split/split-event.ts'
import { findSplitOwners, type SplitOwner } from '../../split/store.ts'
import { recordDirectPayments } from '../settlement/record-unmatched-logs.ts'
import { findReferences, insertBookedBlocks } from './store.ts'

type SplitEvents = {
  readonly owner: SplitOwner
  readonly events: readonly BookedEvent[]
  /**
   * Receipts by reference, limited to this split's attempts. A reference used with another split matches no
   * receipt.
   */
  readonly receiptIds: ReadonlyMap<Hex, string>
}

type SplitReading = ReadonlyMap<Wallet, readonly SplitEvents[]>

type Booked = { isDue: boolean; readonly settled: { merchant: Wallet; receiptId: string }[] }

export function nothingBooked(): Booked {
  return { isDue: false, settled: [] }
}

export async function identify(
  { db, chain }: { readonly db: Database; readonly chain: { readonly id: number } },
  events: readonly BookedEvent[],
): Promise<SplitReading> {
  const splits = [...new Set(events.map(({ split }) => split))]
  const owners = await findSplitOwners(db, chain.id, splits)
  const references = await findReferences(db, chain.id, referencesOf(events))
  const bySplit = Map.groupBy(events, ({ split }) => split)
  const asked = Map.groupBy(references, ({ merchant, split }) => `${merchant} ${split}`)
  const all = owners.map((owner): SplitEvents => {
    const under = asked.get(`${owner.merchant} ${owner.address}`) ?? []
    const receiptIds = new Map(under.map(({ reference, receiptId }) => [reference, receiptId]))
    return { owner, events: bySplit.get(owner.address) ?? [], receiptIds }
  })
  return Map.groupBy(all, ({ owner }) => owner.merchant)
}

export async function recordEvents(
  needs: { tx: Database; chain: { readonly id: number }; clock: Clock; random: Random },
  reading: SplitReading,
  merchant: Wallet,
  booked: Booked,
): Promise<void> {
  const { tx, chain, clock } = needs
  for (const { owner, events: own, receiptIds } of reading.get(merchant) ?? []) {
    const split = await findSplitVersion(tx, merchant, owner.version)
    assert(split, 'an address belongs to a split')
    for (const [token, events] of Map.groupBy(own, (event) => event.token)) {
      const ofToken = events.map(({ event }) => event)
      const recorded = await recordDistribution(tx, split, token, ofToken, receiptIds)
      const place = { chain: chain.id, merchant, split: owner.address, tokenAddress: token }
      await recordDirectPayments(needs, place, ofToken, clock.now())
      booked.isDue ||= recorded.isDue
      // The spread operator is avoided: a stranger controls the count, and too many arguments overflow the
      // stack.
      for (const receiptId of recorded.receipts) booked.settled.push({ merchant, receiptId })
    }
    const blocks = new Map(own.map(({ event: { place } }) => [place.blockNumber, place.blockHash]))
    await insertBookedBlocks(
      tx,
      chain.id,
      [...blocks].map(([number, hash]) => ({ number, hash, merchant })),
    )
  }
}

export async function notifyBooked(
  needs: { db: Database; clock: Clock },
  { isDue, settled }: Booked,
): Promise<void> {
  if (isDue) await notifyJob(needs, jobNames.distributeSplits)
  if (settled.length > 0) await notifyJob(needs, jobNames.reconcileReceipts)
}

function referencesOf(events: readonly BookedEvent[]): Hex[] {
  return [
    ...new Set(events.flatMap(({ event }) => (event.kind === 'arrived' ? (event.reference ?? []) : []))),
  ]
}

const addressesPerFilter = 500

export async function readSplitEvents(
  { db, chain }: { readonly db: Database; readonly chain: Chain },
  range: { readonly from: bigint; readonly to: bigint },
  splits: readonly Wallet[],
): Promise<BookedEvent[]> {
  if (splits.length === 0) return []
  const tokens = chain.tokens.map(({ address }) => address)
  const contracts = tokens.filter((address) => address !== nativeAddress)
  const factories = await listFactories(db, chain)
  const filters: LogFilter[] = [{ ...range, addresses: factories, topics: [sweptTopic] }]
  for (let at = 0; at < splits.length; at += addressesPerFilter) {
    const addresses = splits.slice(at, at + addressesPerFilter)
    // Also filters by address: anyone can emit any number of events with the same topics.
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

/** Returns the block times. Throws if a log belongs to another block at the same height. */
async function readBlockTimes(chain: Chain, logs: readonly ChainLog[]) {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const headers = await chain.findHeaders(numbers)
  const blocks = new Map(numbers.map((number, i) => [number, headers[i]]))
  for (const { blockNumber, blockHash } of logs) {
    const header = blocks.get(blockNumber)
    assert(header, 'a final block with a log has a header')
    assert(header.hash === blockHash, 'endpoints agree on final blocks')
  }
  return new Map(headers.flatMap((header) => (header ? [[header.number, header.at] as const] : [])))
}
