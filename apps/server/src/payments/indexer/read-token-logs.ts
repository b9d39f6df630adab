import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { pad } from 'viem'
import type { Chain, ChainLog, Hex, LogFilter } from '../../chain/chain.ts'
import { EndpointUnavailable } from '../../chain/rpc/rpc.ts'
import { transferTopic } from '../../split/ledger/decode-events.ts'
import type { Target } from '../attempts/targets.ts'

/** What providers take in one filter. */
export const addressesPerFilter = 500

/**
 * A filter with so many addresses is 34 kB to send and a search for the node. All transfers of the listed tokens in
 * a block of Base are some 150 kB: about as much as four such filters.
 */
const filtersWorthABlock = 4

/**
 * Transfers of listed tokens to the deposit addresses of the targets, in one request.
 *
 * For few targets, or many blocks, the endpoint looks for them; for thousands in a few blocks everything these
 * tokens did is fetched and looked through here. So the cost grows with the chain's blocks and not with the
 * number of open attempts.
 */
export async function readTokenLogs(
  chain: Pick<Chain, 'tokens' | 'readLogsOfAll'>,
  range: { readonly from: bigint; readonly to: bigint },
  targets: readonly Target[],
): Promise<ChainLog[]> {
  const addresses = chain.tokens.map(({ address }) => address).filter((address) => address !== nativeAddress)
  if (addresses.length === 0 || targets.length === 0) return []
  const topics = targets.map(({ depositAddress }) => topicOf(depositAddress))
  const filters: LogFilter[] = []
  for (let at = 0; at < topics.length; at += addressesPerFilter) {
    const receivers = topics.slice(at, at + addressesPerFilter)
    filters.push({ ...range, addresses, topics: [transferTopic, null, receivers] })
  }
  const blockCount = Number(range.to - range.from) + 1
  if (filters.length > blockCount * filtersWorthABlock) {
    const all = await readAll(chain, { ...range, addresses, topics: [transferTopic] })
    const ours = new Set(topics)
    if (all) return all.filter((log) => log.topics[2] !== undefined && ours.has(log.topics[2]))
  }
  return chain.readLogsOfAll(filters)
}

/** `undefined` where that is more than the endpoint gives, or this process takes: anyone can emit transfers. */
async function readAll(
  chain: Pick<Chain, 'readLogsOfAll'>,
  filter: LogFilter,
): Promise<ChainLog[] | undefined> {
  try {
    return await chain.readLogsOfAll([filter])
  } catch (error) {
    if (error instanceof EndpointUnavailable && error.fault === 'too-large') return undefined
    throw error
  }
}

function topicOf(address: Wallet): Hex {
  return pad(address.toLowerCase() as Wallet, { size: 32 })
}
