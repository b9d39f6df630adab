import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, ChainLog, Hex, LogFilter, LogPattern } from '../../chain/chain.ts'
import { EndpointUnavailable } from '../../chain/rpc/rpc.ts'
import { transferTopic } from '../../split/ledger/decode-events.ts'
import type { Target } from '../attempts/targets.ts'

/**
 * Transfers of listed tokens to the deposit addresses of the targets, in one request; with the logs of other filters,
 * that are wanted as well, in the same.
 */
export async function readTokenLogs(
  chain: Pick<Chain, 'tokens' | 'readLogsOfAll'>,
  range: { readonly from: bigint; readonly to: bigint },
  targets: readonly Target[],
  others: readonly LogFilter[] = [],
): Promise<ChainLog[]> {
  const blockCount = Number(range.to - range.from) + 1
  const { byReceiver, all, isOurs } = planTokenPatterns(chain, blockCount, targets)
  if (all) {
    const [wanted, some] = await Promise.all([
      chain.readLogsOfAll(others),
      readAll(chain, { ...all, ...range }),
    ])
    if (some) return [...wanted, ...some.filter(isOurs)]
    return [
      ...wanted,
      ...(await chain.readLogsOfAll(byReceiver.map((pattern) => ({ ...pattern, ...range })))),
    ]
  }
  return chain.readLogsOfAll([...others, ...byReceiver.map((pattern) => ({ ...pattern, ...range }))])
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

/** What providers take in one filter. */
export const addressesPerFilter = 500

/**
 * A filter with so many addresses is 34 kB to send and a search for the node. All transfers of the listed tokens in
 * a block of Base are some 150 kB: about as much as four such filters.
 */
const filtersWorthABlock = 4

/** How to ask for the transfers of listed tokens to the deposit addresses of targets. */
type TokenPatterns = {
  /** The endpoint looks for the addresses. */
  readonly byReceiver: readonly LogPattern[]
  /** Everything these tokens did, where that is less for so few blocks: `isOurs` finds what is for the targets. */
  readonly all: LogPattern | undefined
  isOurs(log: ChainLog): boolean
}

/**
 * Plans it. For few targets, or many blocks, the endpoint is to look for them; for thousands in a few blocks everything
 * is fetched. So the cost grows with the chain's blocks and not with the number of open attempts. Pure.
 */
export function planTokenPatterns(
  { tokens }: Pick<Chain, 'tokens'>,
  blockCount: number,
  targets: readonly Target[],
): TokenPatterns {
  const addresses = tokens.map(({ address }) => address).filter((address) => address !== nativeAddress)
  const topics = addresses.length === 0 ? [] : targets.map(({ depositAddress }) => topicOf(depositAddress))
  const byReceiver: LogPattern[] = []
  for (let at = 0; at < topics.length; at += addressesPerFilter) {
    const receivers = topics.slice(at, at + addressesPerFilter)
    byReceiver.push({ addresses, topics: [transferTopic, null, receivers] })
  }
  const isMuch = byReceiver.length > blockCount * filtersWorthABlock
  const ours = new Set(isMuch ? topics : [])
  return {
    byReceiver,
    all: isMuch ? { addresses, topics: [transferTopic] } : undefined,
    isOurs: ({ topics: [, , receiver] }) => receiver !== undefined && ours.has(receiver),
  }
}

/** An address as a topic has it. */
function topicOf(address: Wallet): Hex {
  return `0x000000000000000000000000${address.slice(2).toLowerCase()}`
}
