import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, hexToBigInt, parseAbi, size } from 'viem'
import type { Chain } from './chain.ts'

const oracle = '0x420000000000000000000000000000000000000F' as Wallet
const abi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)'])

/**
 * What a transaction of so many bytes pays at most for its data on the chain below, beside its gas; zero on a
 * chain that stands on no other.
 *
 * @throws {ChainUnavailable}
 */
export async function readDataFee(chain: Pick<Chain, 'call'>, byteCount: number): Promise<bigint> {
  const args = [BigInt(byteCount)] as const
  const answer = await chain.call(
    oracle,
    encodeFunctionData({ abi, functionName: 'getL1FeeUpperBound', args }),
  )
  return answer.ok && size(answer.data) === 32 ? hexToBigInt(answer.data) : 0n
}
