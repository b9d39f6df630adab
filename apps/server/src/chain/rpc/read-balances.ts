import type { Wallet } from '@sluice/protocol/wallet.ts'
import { hexToBigInt, size } from 'viem'
import type { Endpoint } from './endpoint.ts'
import { aggregate, multicall3, nativeBalanceCall, readAggregated } from './multicall.ts'
import { readValue } from './read-answer.ts'
import { readBytes, readQuantity } from './read-field.ts'
import type { RpcAnswer, RpcCall } from './rpc.ts'

/** Fewer are asked for one by one in a batch: that needs no contract. */
const fewestForMulticall = 20

/** A call of this many costs the node some three million gas, a tenth of what nodes allow, and 250 kB. */
const addressesPerCall = 500

/**
 * Balances in the chain's coin from one endpoint, in the order asked, as of a block or tag. Many are read by
 * Multicall3; where that does not stand, or the node does not run it for so many, by a call each.
 */
export async function readBalances(
  endpoint: Endpoint,
  addresses: readonly Wallet[],
  tag: string,
): Promise<bigint[]> {
  if (addresses.length < fewestForMulticall) return readEach(endpoint, addresses, tag)
  const pages = pagesOf(addresses)
  const answers = await endpoint.ask(pages.map((page) => aggregateCall(page, tag)))
  const balances = pages.map((page, i) => readPage(answers[i], page.length))
  const left = pages.filter((_, i) => balances[i] === undefined).flat()
  const rest = await readEach(endpoint, left, tag)
  return pages.flatMap((page, i) => balances[i] ?? rest.splice(0, page.length))
}

function pagesOf(addresses: readonly Wallet[]): Wallet[][] {
  const pages: Wallet[][] = []
  for (let at = 0; at < addresses.length; at += addressesPerCall)
    pages.push(addresses.slice(at, at + addressesPerCall))
  return pages
}

function balanceCall(address: Wallet, tag: string): RpcCall {
  return { method: 'eth_getBalance', params: [address, tag] }
}

function aggregateCall(page: readonly Wallet[], tag: string): RpcCall {
  return {
    method: 'eth_call',
    params: [{ to: multicall3, data: aggregate(page.map(nativeBalanceCall)) }, tag],
  }
}

function readPage(answer: RpcAnswer | undefined, count: number): bigint[] | undefined {
  if (answer?.kind !== 'value') return undefined
  const results = readAggregated(readBytes(answer.value), count)
  const isWhole = results?.every(({ success, returnData }) => success && size(returnData) === 32)
  return isWhole ? results?.map(({ returnData }) => hexToBigInt(returnData)) : undefined
}

async function readEach(endpoint: Endpoint, addresses: readonly Wallet[], tag: string): Promise<bigint[]> {
  const answers = await endpoint.ask(addresses.map((address) => balanceCall(address, tag)))
  return answers.map((answer) => readValue(answer, readQuantity))
}
