import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Chain, ChainLog, Hex, LogFilter, LogPattern } from '../../chain/chain.ts'
import { EndpointUnavailable } from '../../chain/rpc/rpc.ts'
import { transferTopic } from '../../split/ledger/decode-events.ts'
import type { Target } from '../attempts/targets.ts'

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

/** Returns `undefined` if the response is too large: anyone can emit transfers. */
async function readAll(
  chain: Pick<Chain, 'readLogsOfAll'>,
  filter: LogFilter,
): Promise<ChainLog[] | undefined> {
  try {
    return await chain.readLogsOfAll([filter])
  } catch (error) {
    if (error instanceof EndpointUnavailable && error.error === 'too-large') return undefined
    throw error
  }
}

export const addressesPerFilter = 500

/**
 * A filter with 500 addresses takes 34 kB and a search on the node. All listed transfers in a Base block take
 * about 150 kB, as much as four filters.
 */
const filtersWorthABlock = 4

type TokenPatterns = {
  readonly byReceiver: readonly LogPattern[]
  readonly all: LogPattern | undefined
  isOurs(log: ChainLog): boolean
}

/**
 * Plans the filters. For thousands of targets in a few blocks, fetches all transfers. The cost therefore
 * grows with the number of blocks, not with the number of open attempts.
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

function topicOf(address: Wallet): Hex {
  return `0x000000000000000000000000${address.slice(2).toLowerCase()}`
}
