import type { Chain, ChainLog, LogFilter } from '../../chain/chain.ts'
import { EndpointUnavailable } from '../../chain/rpc/rpc.ts'
import type { Target } from '../attempts/targets.ts'
import { planTokenPatterns } from './token-patterns.ts'

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
