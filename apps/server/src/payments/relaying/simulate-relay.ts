import { encodeFunctionData, erc20Abi, hexToBigInt } from 'viem'
import type { Chain } from '../../chain/chain.ts'
import type { RelayedPayment, RelayFault } from './authorization.ts'
import { authorizationAbi, relayOrder } from './relay-call.ts'
import type { Relayer } from './relayer.ts'

/**
 * Why submitting a signed payment would fail now, or cost too much; `undefined` where the chain says that the money
 * would move.
 *
 * @throws {ChainUnavailable}
 */
export async function simulateRelay(
  chain: Chain,
  { sender, terms }: Pick<Relayer, 'sender' | 'terms'>,
  relay: RelayedPayment,
): Promise<RelayFault | undefined> {
  const { to, data } = relayOrder(relay, terms.maxFee)
  const [estimate, fees] = await Promise.all([
    chain.estimateGas({ from: sender.address, to, data }),
    chain.readFees(),
  ])
  if (!estimate.ok) return explainRefusal(chain, relay)
  return estimate.gas * fees.maxFeePerGas > terms.maxFee ? 'gas_too_expensive' : undefined
}

/** Why a token rejects a signed payment, as far as it can be asked. */
export async function explainRefusal(
  chain: Pick<Chain, 'callMany'>,
  relay: RelayedPayment,
): Promise<RelayFault> {
  const { tokenAddress: to, payer, nonce, amount } = relay
  const [used, balance] = await chain.callMany([
    {
      to,
      data: encodeFunctionData({
        abi: authorizationAbi,
        functionName: 'authorizationState',
        args: [payer, nonce],
      }),
    },
    { to, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [payer] }) },
  ])
  if (used?.ok && used.data.length === 66 && hexToBigInt(used.data) !== 0n) return 'authorization_used'
  if (balance?.ok && balance.data.length === 66 && hexToBigInt(balance.data) < amount)
    return 'insufficient_funds'
  return 'transfer_rejected'
}
