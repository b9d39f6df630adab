import type { Hex } from 'viem'
import { distributeData, releaseData } from './calls.ts'
import type { PaymentContext } from './payments.ts'

/** Has a split send out what it holds, at once or payee by payee; the transactions, not yet mined. */
export async function sendOut(
  world: PaymentContext,
  split: Hex,
  how: 'a distribution' | 'a release to each payee',
  token: 'USDC' | 'ETH',
): Promise<string[]> {
  const coin = world.tokenAddress(token)
  const payees = await world.rows<{ address: Hex }>(
    `SELECT payee->>'address' AS address FROM split, jsonb_array_elements(recipients) AS payee`,
  )
  const calls =
    how === 'a distribution'
      ? [distributeData(coin)]
      : payees.map(({ address }) => releaseData(address, token === 'ETH' ? undefined : coin))
  const sent: string[] = []
  for (const data of calls) sent.push((await world.send({ to: split, data })).hash)
  return sent
}
