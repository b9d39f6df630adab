import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, erc20Abi } from 'viem'
import type { Chain, Hex } from './chain.ts'
import { ChainUnavailable } from './chain-time.ts'
import {
  type AggregatedCall,
  aggregate,
  multicall3,
  nativeBalanceCall,
  readAggregated,
} from './rpc/multicall.ts'

const amountsPerCall = 500

/** An amount that stands in the chain's state: what an address holds, or what a contract's view answers. */
export type AskedAmount =
  | { readonly owner: Wallet; readonly token: Wallet }
  | { readonly to: Wallet; readonly data: Hex }

/**
 * Amounts as of a block, in the order asked, that two endpoints agree upon: hundreds by one call where the chain
 * has Multicall3, by themselves elsewhere. Zero where no contract stands; `undefined` where one refuses.
 *
 * @throws {ChainUnavailable}, also where the endpoint no longer has the state of the block.
 */
export async function readAmounts(
  chain: Pick<Chain, 'callMany' | 'readBalances'>,
  asked: readonly AskedAmount[],
  at: bigint,
): Promise<(bigint | undefined)[]> {
  const amounts: (bigint | undefined)[] = []
  for (let from = 0; from < asked.length; from += amountsPerCall)
    amounts.push(...(await readPage(chain, asked.slice(from, from + amountsPerCall), at)))
  return amounts
}

async function readPage(
  chain: Pick<Chain, 'callMany' | 'readBalances'>,
  asked: readonly AskedAmount[],
  at: bigint,
): Promise<(bigint | undefined)[]> {
  const data = aggregate(asked.map(callOf))
  const [together] = asked.length > 1 ? await chain.callMany([{ to: multicall3, data }], at) : []
  if (together?.ok && together.data !== '0x') {
    const results = readAggregated(together.data, asked.length)
    if (!results) throw new ChainUnavailable('The chain returned amounts that cannot be read')
    return results.map(({ success, returnData }) => (success ? amountOf(returnData) : undefined))
  }
  const coin = asked.flatMap((each) => (isNativeToken(each) ? [each.owner] : []))
  const views = asked.flatMap((each) => (isNativeToken(each) ? [] : [callOf(each)]))
  const balances = coin.length > 0 ? await chain.readBalances(coin, at) : []
  const answers = await chain.callMany(
    views.map(({ target, callData }) => ({ to: target, data: callData })),
    at,
  )
  return asked.map((each) => {
    if (isNativeToken(each)) return balances.shift()
    const answer = answers.shift()
    return answer?.ok ? amountOf(answer.data) : undefined
  })
}

function isNativeToken(each: AskedAmount): each is { owner: Wallet; token: Wallet } {
  return 'owner' in each && each.token === nativeAddress
}

function callOf(each: AskedAmount): AggregatedCall {
  if ('to' in each) return { target: each.to, callData: each.data }
  if (isNativeToken(each)) return nativeBalanceCall(each.owner)
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [each.owner] })
  return { target: each.token, callData }
}

function amountOf(data: Hex): bigint | undefined {
  if (data === '0x') return 0n
  return data.length === 66 ? BigInt(data) : undefined
}
