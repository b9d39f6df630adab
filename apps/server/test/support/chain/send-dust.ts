import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { multicall3 } from '../../../src/chain/rpc/multicall.ts'
import { transferData } from './chain-api.ts'
import type { PaymentContext } from './payments.ts'

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call[] calls) payable',
])
const perTransaction = 500

/** Sends an address so many transfers of the smallest unit of USDC, all of them in the next block, which is not mined. */
export async function sendDust(
  { transfer, mine, send, tokenAddress }: PaymentContext,
  to: string,
  count: number,
): Promise<void> {
  const target = tokenAddress('USDC')
  await transfer(target, multicall3, BigInt(count))
  await mine()
  const call = { target, allowFailure: false, callData: transferData(to, 1n) } as const
  for (let left = count; left > 0; left -= perTransaction) {
    const calls = Array.from({ length: Math.min(left, perTransaction) }, () => call)
    const data: Hex = encodeFunctionData({ abi, functionName: 'aggregate3', args: [calls] })
    await send({ to: multicall3 as Hex, data, gas: BigInt(calls.length) * 12_000n + 200_000n })
  }
}
