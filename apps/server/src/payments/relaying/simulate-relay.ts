import { encodeFunctionData, erc20Abi, hexToBigInt } from 'viem'
import type { CallOutcome, Chain } from '../../chain/chain.ts'
import type { RelayedPayment, RelayFault } from './authorization.ts'
import { readUsed } from './find-use.ts'
import { askApproved } from './permit2.ts'
import { relayOrder } from './relay-call.ts'
import type { Submitter } from './relayer.ts'

/**
 * Why submitting a signed payment would fail now, or cost too much; `undefined` where the chain says that the money
 * would move.
 *
 * @throws {ChainUnavailable}
 */
export async function simulateRelay(
  chain: Chain,
  { sender, terms }: Pick<Submitter, 'sender' | 'terms'>,
  relay: RelayedPayment,
): Promise<RelayFault | undefined> {
  const { to, data } = relayOrder(chain, relay, terms.maxFee)
  const [estimate, fees] = await Promise.all([
    chain.estimateGas({ from: sender.address, to, data }),
    chain.readFees(),
  ])
  if (!estimate.ok) return explainRefusal(chain, relay)
  return estimate.gas * fees.maxFeePerGas > terms.maxFee ? 'gas_too_expensive' : undefined
}

/** Why a token rejects a signed payment, as far as it can be asked. */
export async function explainRefusal(
  chain: Pick<Chain, 'callMany' | 'pullFactory'>,
  relay: RelayedPayment,
): Promise<RelayFault> {
  const { tokenAddress: to, payer, amount, way } = relay
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [payer] })
  const approved = way === 'permit2' ? [askApproved(to, payer)] : []
  const [[isUsed], [balance, allowance]] = await Promise.all([
    readUsed(chain, [relay]),
    chain.callMany([{ to, data }, ...approved]),
  ])
  const isLess = (answer: CallOutcome | undefined) =>
    answer?.ok && answer.data.length === 66 && hexToBigInt(answer.data) < amount
  if (isUsed) return 'authorization_used'
  if (isLess(balance)) return 'insufficient_funds'
  return isLess(allowance) ? 'not_approved' : 'transfer_rejected'
}
