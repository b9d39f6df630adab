import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'

/**
 * Returns the amount that each sweep would move, in base units, in one batch of calls.
 *
 * `refused` means that the token reverts; `sent` means that no sweep was requested.
 */
export async function readSweepable(
  chain: Pick<Chain, 'callMany'>,
  sweeps: readonly ({ readonly factory: Wallet; readonly data: Hex } | undefined)[],
): Promise<(bigint | 'refused' | 'sent')[]> {
  const calls = sweeps.flatMap((each) => (each ? [{ to: each.factory, data: each.data }] : []))
  const responses = calls.length > 0 ? await chain.callMany(calls) : []
  let next = 0
  return sweeps.map((each) => {
    if (!each) return 'sent'
    const response = responses[next]
    next += 1
    // A call to an address without code succeeds with empty data.
    return response?.ok && response.data !== '0x' ? BigInt(response.data) : 'refused'
  })
}

export function sweepData({
  split,
  reference,
  token,
}: {
  readonly split: Wallet
  readonly reference: Hex
  readonly token: Wallet
}): Hex {
  const args = [split, reference, token] as const
  return encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
}
