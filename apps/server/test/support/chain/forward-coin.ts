import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { multicall3 } from '../../../src/chain/rpc/multicall.ts'
import type { PaymentWorld } from '../worlds/payment-world.ts'
import type { Call } from './test-chain.ts'

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
])

/** A call by which a contract sends coin on, and which names where to. */
export function forwardCall(to: string, value: bigint): Call {
  const call = { target: to as Hex, allowFailure: false, value, callData: '0x' } as const
  const data = encodeFunctionData({ abi, functionName: 'aggregate3Value', args: [[call]] })
  return { to: multicall3 as Hex, data, value }
}

/** Has a contract send coin on whose call does not name where to: there is no trace of it but the balance. */
export async function sendWithoutTrace({ chain, send }: PaymentWorld, to: string, value: bigint) {
  const forwarder = `0xf0${to.slice(4).toLowerCase()}` as Hex
  const bytecode = `0x60006000600060003473${to.slice(2)}5af100` as const
  await chain.client.setCode({ address: forwarder, bytecode })
  return send({ to: forwarder, value })
}
