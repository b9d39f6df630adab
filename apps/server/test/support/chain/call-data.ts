import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'

/** The data of a token's `approve`: all of it where no amount is given. */
export function approveData(spender: string, units = maxUint256): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender as Hex, units] })
}

/** The data by which a factory sweeps a deposit address into its split; anybody may. */
export function sweepData(split: string, reference: string, token: Hex): Hex {
  const args = [split as Hex, reference as Hex, token] as const
  return encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
}

/** The data by which a split pays all its recipients. */
export function distributeData(token: Hex): Hex {
  return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args: [token] })
}

/** The data by which a split pays one recipient, in a token or, without one, in coin. */
export function releaseData(account: Hex, token?: Hex): Hex {
  const args = token === undefined ? ([account] as const) : ([token, account] as const)
  return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'release', args })
}
