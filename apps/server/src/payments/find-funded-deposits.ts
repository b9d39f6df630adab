import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { decodeFunctionResult, encodeFunctionData, erc20Abi, multicall3Abi } from 'viem'
import type { Chain, Hex } from '../chain/chain.ts'
import { Refusal } from '../kernel/refusal.ts'

/** Where Multicall3 stands on every chain that has it: https://www.multicall3.com. */
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11' as Wallet

/**
 * Those of the addresses that hold some of a listed token or of the coin in the newest state, by one call for
 * all of them. A hint of where to look: one that cannot be told counts as one that does.
 *
 * @throws {Refusal} `chain_unavailable`.
 */
export async function findFundedDeposits(
  chain: Pick<Chain, 'call' | 'tokens'>,
  deposits: readonly Wallet[],
): Promise<Set<Wallet>> {
  const asked = deposits.flatMap((deposit) =>
    chain.tokens.map(({ address }) => ({ deposit, ...balanceCall(address, deposit) })),
  )
  const calls = asked.map(({ target, callData }) => ({ target, callData, allowFailure: true }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await chain.call(multicall3, data)
  if (!answer.ok || answer.data === '0x') return new Set(deposits)
  const results = readResults(answer.data)
  return new Set(asked.filter((_, i) => mayHold(results[i])).map(({ deposit }) => deposit))
}

type Result = { readonly success: boolean; readonly returnData: Hex }

function balanceCall(token: Wallet, deposit: Wallet): { target: Wallet; callData: Hex } {
  if (token === nativeAddress) {
    const callData = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'getEthBalance',
      args: [deposit],
    })
    return { target: multicall3, callData }
  }
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [deposit] })
  return { target: token, callData }
}

function readResults(data: Hex): readonly Result[] {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
  } catch (cause) {
    throw new Refusal('chain_unavailable', 'The chain gave no balances that can be read', {}, { cause })
  }
}

function mayHold(result: Result | undefined): boolean {
  return !result?.success || /[1-9a-f]/.test(result.returnData.slice(2))
}
