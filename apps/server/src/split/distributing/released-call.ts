import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import type { Hex } from '../../chain/chain.ts'

/** The call of a split that answers what it has released of a token ever. */
export function splitReleasedCall(token: Wallet): Hex {
  const call = { abi: merchantSplitAbi, functionName: 'totalReleased' } as const
  return token === nativeAddress ? encodeFunctionData(call) : encodeFunctionData({ ...call, args: [token] })
}
