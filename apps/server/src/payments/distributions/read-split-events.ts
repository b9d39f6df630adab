import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { padHex } from 'viem'
import type { Chain, ChainLog, Hex, LogFilter } from '../../chain/chain.ts'
import { listFactories } from '../../chain/factory-store.ts'
import { assert } from '../../kernel/assert.ts'
import type { Database } from '../../platform/database/database.ts'
import { decodeEvents, splitTopics, sweptTopic, transferTopic } from '../../split/ledger/decode-events.ts'
import { type BookedEvent, comparePlaces } from '../../split/split-event.ts'

const addressesPerFilter = 500

/** Everything in a range of final blocks that concerns the books of these splits, in the order of the chain. */
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
