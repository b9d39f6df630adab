import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'

/**
 * What each sweep would move now, in base units, by one batch of calls; `refused` where the token would not let it
 * go, `sent` for those that are not to be asked about.
 */
export async function readSweepable(
  chain: Pick<Chain, 'callMany'>,
  sweeps: readonly ({ readonly factory: Wallet; readonly data: Hex } | undefined)[],
): Promise<(bigint | 'refused' | 'sent')[]> {
  const calls = sweeps.flatMap((each) => (each ? [{ to: each.factory, data: each.data }] : []))
  const answers = calls.length > 0 ? await chain.callMany(calls) : []
  let next = 0
  return sweeps.map((each) => {
    if (!each) return 'sent'
    const answer = answers[next]
    next += 1
    // Where no contract stands every call goes through, and answers nothing.
    return answer?.ok && answer.data !== '0x' ? BigInt(answer.data) : 'refused'
  })
}

/** The call of a factory that sweeps one token from one deposit address. */
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
