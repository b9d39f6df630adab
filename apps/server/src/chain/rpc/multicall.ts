import type { Wallet } from '@sluice/protocol/wallet.ts'
import { decodeFunctionResult, encodeFunctionData, multicall3Abi } from 'viem'
import type { Hex } from '../chain.ts'

/** Where Multicall3 stands on every chain that has it: https://www.multicall3.com. */
export const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11' as Wallet

/** One of many calls in one; a revert of one is no fault of the others. */
export type AggregatedCall = { readonly target: Wallet; readonly callData: Hex }

/** What one of them came to. */
export type AggregatedResult = { readonly success: boolean; readonly returnData: Hex }

/** The data of one call of {@link multicall3} that makes all of these. */
export function aggregate(calls: readonly AggregatedCall[]): Hex {
  const args = [calls.map((call) => ({ ...call, allowFailure: true }))] as const
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args })
}

/** What such a call gave back, in the order of the calls; `undefined` where it has not that form. */
export function readAggregated(data: Hex, count: number): readonly AggregatedResult[] | undefined {
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
    return results.length === count ? results : undefined
  } catch {
    return undefined
  }
}

/** The call that tells an address's balance in the chain's coin. */
export function nativeBalanceCall(address: Wallet): AggregatedCall {
  const callData = encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [address] })
  return { target: multicall3, callData }
}
