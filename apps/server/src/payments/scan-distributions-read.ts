import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { padHex } from 'viem'
import type { BlockHeader, Chain, ChainLog, Hex } from '../chain/chain.ts'
import { assert } from '../kernel/assert.ts'
import { decodeEvents, splitTopics, sweptTopic, transferTopic } from '../split/decode-events.ts'
import { type BookedEvent, comparePlaces } from '../split/split-event.ts'

const addressesPerFilter = 500

/** Everything in a range of final blocks that concerns the books of these splits, in the order of the chain. */
export async function readSplitEvents(
  chain: Chain,
  range: { readonly from: bigint; readonly to: bigint },
  splits: readonly Wallet[],
): Promise<BookedEvent[]> {
  if (splits.length === 0) return []
  const tokens = chain.tokens.map(({ address }) => address)
  const contracts = tokens.filter((address) => address !== nativeAddress)
  const reads = [chain.readLogs({ ...range, addresses: [chain.factory], topics: [sweptTopic] })]
  for (let at = 0; at < splits.length; at += addressesPerFilter) {
    const addresses = splits.slice(at, at + addressesPerFilter)
    // By address too: anyone can emit the same topics by the thousand.
    reads.push(chain.readLogs({ ...range, addresses, topics: [splitTopics] }))
    if (contracts.length === 0) continue
    const receivers = addresses.map((split) => padHex(split, { size: 32 }))
    const topics = [transferTopic, null, receivers.map((topic) => topic.toLowerCase() as Hex)]
    reads.push(chain.readLogs({ ...range, addresses: contracts, topics }))
  }
  const known = new Set(splits)
  const logs = (await Promise.all(reads)).flat().sort(comparePlaces)
  const blockTimes = await readBlockTimes(chain, logs)
  return decodeEvents({ factory: chain.factory, splits: known, tokens: new Set(tokens), blockTimes }, logs)
}

/** The times of the blocks in which something was logged; throws where a log is of another block. */
async function readBlockTimes(chain: Chain, logs: readonly ChainLog[]) {
  const times = new Map<bigint, BlockHeader['at']>()
  const hashes = new Map<bigint, Hex>()
  for (const { blockNumber, blockHash } of logs) {
    if (!hashes.has(blockNumber)) {
      const header = await chain.findHeader(blockNumber)
      assert(header, 'a final block with a log has a header')
      times.set(blockNumber, header.at)
      hashes.set(blockNumber, header.hash)
    }
    assert(hashes.get(blockNumber) === blockHash, 'the endpoints agree on final blocks')
  }
  return times
}
