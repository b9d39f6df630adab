import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { decodeFunctionResult, encodeFunctionData, erc20Abi, multicall3Abi } from 'viem'
import type { CallOutcome, Chain, Hex } from './chain.ts'
import { ChainUnavailable } from './chain-time.ts'

const amountsPerCall = 500
/** Keeps a request below the megabyte that some providers accept. */
const callsPerRequest = 4

/** A balance of a token, or a call that returns one 256-bit number. */
export type AskedAmount =
  | { readonly owner: Wallet; readonly token: Wallet }
  | { readonly to: Wallet; readonly data: Hex }

/**
 * Returns amounts as of a block, in the given order, on which two endpoints agree.
 *
 * Reads hundreds per call, and several calls per request, if the chain has Multicall3. An amount is zero if
 * there is no contract, and `undefined` if the contract reverts.
 *
 * @throws {ChainUnavailable}, also if the endpoint has pruned the state of the block.
 */
export async function readAmounts(
  chain: Pick<Chain, 'callMany' | 'readBalances'>,
  asked: readonly AskedAmount[],
  at: bigint,
): Promise<(bigint | undefined)[]> {
  const amountsPerRequest = amountsPerCall * callsPerRequest
  const requests = cut(asked, amountsPerRequest).map((each) => readRequest(chain, each, at))
  return (await Promise.all(requests)).flat()
}

async function readRequest(
  chain: Pick<Chain, 'callMany' | 'readBalances'>,
  asked: readonly AskedAmount[],
  at: bigint,
): Promise<(bigint | undefined)[]> {
  if (asked.length === 1) return readAlone(chain, asked, at)
  const pages = cut(asked, amountsPerCall)
  const calls = pages.map((page) => ({ to: multicall3, data: aggregate(page.map(callOf)) }))
  const outcomes = await chain.callMany(calls, at)
  const amounts: (bigint | undefined)[] = []
  for (const [i, page] of pages.entries())
    amounts.push(...(readTogether(outcomes[i], page.length) ?? (await readAlone(chain, page, at))))
  return amounts
}

function readTogether(outcome: CallOutcome | undefined, count: number): (bigint | undefined)[] | undefined {
  if (!outcome?.ok || outcome.data === '0x') return undefined
  const results = readAggregated(outcome.data, count)
  if (!results) throw new ChainUnavailable('The chain returned amounts that cannot be read')
  return results.map(({ success, returnData }) => (success ? amountOf(returnData) : undefined))
}

async function readAlone(
  chain: Pick<Chain, 'callMany' | 'readBalances'>,
  asked: readonly AskedAmount[],
  at: bigint,
): Promise<(bigint | undefined)[]> {
  const coin = asked.flatMap((each) => (isNativeToken(each) ? [each.owner] : []))
  const views = asked.flatMap((each) => (isNativeToken(each) ? [] : [callOf(each)]))
  const balances = coin.length > 0 ? await chain.readBalances(coin, at) : []
  const responses = await chain.callMany(
    views.map(({ target, callData }) => ({ to: target, data: callData })),
    at,
  )
  return asked.map((each) => {
    if (isNativeToken(each)) return balances.shift()
    const response = responses.shift()
    return response?.ok ? amountOf(response.data) : undefined
  })
}

function cut<T>(all: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, i) =>
    all.slice(i * length, (i + 1) * length),
  )
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

/** Address of Multicall3 on every chain that has it: https://www.multicall3.com. */
export const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11' as Wallet

/** Call inside a batch of Multicall3. */
export type AggregatedCall = { readonly target: Wallet; readonly callData: Hex }

/** Result of one call in a batch. A failed call does not fail the others. */
export type AggregatedResult = { readonly success: boolean; readonly returnData: Hex }

/** Encodes calls as one call of Multicall3, in which each call may fail. */
export function aggregate(calls: readonly AggregatedCall[]): Hex {
  const args = [calls.map((call) => ({ ...call, allowFailure: true }))] as const
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args })
}

/** Returns the results in call order, or `undefined` if the data is malformed. */
export function readAggregated(data: Hex, count: number): readonly AggregatedResult[] | undefined {
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
    return results.length === count ? results : undefined
  } catch {
    return undefined
  }
}

/** Returns the call that reads a native balance inside a batch. */
export function nativeBalanceCall(address: Wallet): AggregatedCall {
  const callData = encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [address] })
  return { target: multicall3, callData }
}
