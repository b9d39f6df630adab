import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { encodeFunctionData, type Hex } from 'viem'
import type { PaymentWorld } from '../worlds/payment-world.ts'

/** Has a split send out what it holds, at once or payee by payee; the transactions, not yet mined. */
export async function sendOut(
  world: PaymentWorld,
  split: Hex,
  how: 'a distribution' | 'a release to each payee',
  token: 'USDC' | 'ETH',
): Promise<string[]> {
  const coin = world.tokenAddress(token)
  const payees = await world.needs.db.rows<{ address: Hex }>({
    name: 'test-list-payees',
    text: `SELECT payee->>'address' AS address FROM split, jsonb_array_elements(recipients) AS payee`,
  })
  const release = ({ address }: { address: Hex }) => {
    const args = token === 'ETH' ? ([address] as const) : ([coin, address] as const)
    return encodeFunctionData({ abi: merchantSplitAbi, functionName: 'release', args })
  }
  const distribute = { abi: merchantSplitAbi, functionName: 'distribute', args: [coin] } as const
  const calls = how === 'a distribution' ? [encodeFunctionData(distribute)] : payees.map(release)
  const sent: string[] = []
  for (const data of calls) sent.push((await world.send({ to: split, data })).hash)
  return sent
}
