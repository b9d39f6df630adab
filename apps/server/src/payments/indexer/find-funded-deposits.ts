import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import {
  type AggregatedCall,
  type AggregatedResult,
  aggregate,
  multicall3,
  nativeBalanceCall,
  readAggregated,
} from '../../chain/rpc/multicall.ts'

/**
 * Those of the addresses that hold some of a listed token or of the coin as of a block, by one call for all
 * of them. A hint of where to look: one that cannot be told counts as one that does.
 *
 * @throws {ChainUnavailable}
 */
export async function findFundedDeposits(
  chain: Pick<Chain, 'call' | 'tokens'>,
  deposits: readonly Wallet[],
  at: bigint,
): Promise<Set<Wallet>> {
  const asked = deposits.flatMap((deposit) =>
    chain.tokens.map(({ address }) => ({ deposit, call: balanceCall(address, deposit) })),
  )
  const answer = await chain.call(multicall3, aggregate(asked.map(({ call }) => call)), at)
  if (!answer.ok || answer.data === '0x') return new Set(deposits)
  const results = readAggregated(answer.data, asked.length)
  if (!results) throw new ChainUnavailable('The chain returned balances that cannot be read')
  return new Set(asked.filter((_, i) => mayHold(results[i])).map(({ deposit }) => deposit))
}

function balanceCall(token: Wallet, deposit: Wallet): AggregatedCall {
  if (token === nativeAddress) return nativeBalanceCall(deposit)
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [deposit] })
  return { target: token, callData }
}

function mayHold(result: AggregatedResult | undefined): boolean {
  return !result?.success || /[1-9a-f]/.test(result.returnData.slice(2))
}
