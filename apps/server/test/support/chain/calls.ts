import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import { createWalletClient, encodeFunctionData, erc20Abi, type Hex, http, maxUint256, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { multicall3 } from '../../../src/chain/read-amounts.ts'
import type { ChainApi } from './chain-api.ts'
import type { PaymentContext } from './payments.ts'
import type { Call } from './test-chain.ts'

/** Returns call data of a token's `approve`, unlimited by default. */
export function approveData(spender: string, units = maxUint256): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender as Hex, units] })
}

export function sweepData(split: string, reference: string, token: Hex): Hex {
  const args = [split as Hex, reference as Hex, token] as const
  return encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
}

export function distributeData(token: Hex): Hex {
  return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args: [token] })
}

export function releaseData(account: Hex, token?: Hex): Hex {
  const args = token === undefined ? ([account] as const) : ([token, account] as const)
  return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'release', args })
}

export const multicallWithValue = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
])

/** A call whose data names the address to which a contract forwards ETH. */
export function forwardCall(to: string, value: bigint): Call {
  const call = { target: to as Hex, allowFailure: false, value, callData: '0x' } as const
  const data = encodeFunctionData({
    abi: multicallWithValue,
    functionName: 'aggregate3Value',
    args: [[call]],
  })
  return { to: multicall3 as Hex, data, value }
}

/** Sends ETH through a contract. The address `to` is in neither the logs nor the call data. */
export async function sendWithoutTrace({ chain, send }: PaymentContext, to: string, value: bigint) {
  // Differs from `to`, whatever the first byte of `to` is.
  const forwarder = `0x${to.toLowerCase().startsWith('0xf') ? 'e0' : 'f0'}${to.slice(4).toLowerCase()}` as Hex
  const bytecode = `0x60006000600060003473${to.slice(2)}5af100` as const
  await chain.client.setCode({ address: forwarder, bytecode })
  return send({ to: forwarder, value })
}

/** Sends a call whose fee puts it first in the next block. */
export async function sendFirst({ node }: ChainApi, { to, data = '0x', value = 0n }: Call): Promise<Hex> {
  const account = privateKeyToAccount(node.accounts[4]?.privateKey as Hex)
  const fees = { maxFeePerGas: 200_000_000_000n, maxPriorityFeePerGas: 100_000_000_000n }
  const sender = createWalletClient({ account, transport: http(node.rpcUrl) })
  return sender.sendTransaction({ to, data, value, gas: 500_000n, ...fees, chain: null })
}

export async function sendMany(
  context: PaymentContext,
  count: number,
  call: { to: Hex; data?: Hex; value?: bigint; gas: bigint },
): Promise<void> {
  const { client } = context.chain
  const account = privateKeyToAccount(context.buyer.privateKey)
  const first = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
  const sign = (nonce: number) =>
    account.signTransaction({
      chainId: 31337,
      type: 'eip1559',
      nonce,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1n,
      ...call,
    })
  for (let sent = 0; sent < count; sent += atOnce) {
    const raws = Array.from({ length: Math.min(atOnce, count - sent) }, (_, i) => sign(first + sent + i))
    const sending = raws.map(async (raw) => client.sendRawTransaction({ serializedTransaction: await raw }))
    await Promise.all(sending)
  }
}

const atOnce = 50
