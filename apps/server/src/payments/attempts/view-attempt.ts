import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { AttemptView, CheckoutCall } from '@sluice/protocol/api/checkout.ts'
import { formatUnits, type TokenUnits } from '@sluice/protocol/money.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, parseAbi } from 'viem'
import type { Hex } from '../../chain/chain.ts'
import type { Attempt } from './attempt.ts'

const erc20Abi = parseAbi(['function approve(address spender, uint256 amount)'])

/**
 * Returns the attempt as the API shows it, with the calls and the QR text for the payment.
 *
 * @param remaining - Unpaid base units. If zero, the calls ask for the whole amount.
 * @param allowance - The payer's current allowance for the split; zero if unknown.
 */
export function viewAttempt(attempt: Attempt, remaining: TokenUnits, allowance = 0n): AttemptView {
  const units = remaining > 0n ? remaining : attempt.amount
  return {
    attemptId: attempt.id,
    token: attempt.token.symbol,
    amount: attempt.amount.toString(),
    remaining: remaining.toString(),
    rate: {
      usdPerUnit: Number(formatUnits(attempt.rate, 8)),
      quotedAt: attempt.quote.quotedAt,
      provider: attempt.quote.provider,
    },
    expiresAt: attempt.expiresAt,
    reference: attempt.reference,
    payTo: attempt.splitAddress,
    depositAddress: attempt.depositAddress,
    calls: callsFor(attempt, units, allowance),
    eip681: eip681For(attempt, units),
  }
}

function callsFor(attempt: Attempt, units: bigint, allowance: bigint): CheckoutCall[] {
  const { reference, splitAddress, token } = attempt
  const step = (kind: CheckoutCall['kind'], to: string, data: Hex, value = 0n): CheckoutCall => ({
    kind,
    chainId: attempt.chain,
    to,
    data,
    value: `0x${value.toString(16)}`,
  })
  if (token.address === nativeAddress) {
    const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'pay', args: [reference] })
    return [step('pay', splitAddress, data, units)]
  }
  const approve = (amount: bigint) =>
    step(
      'approve',
      token.address,
      encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [splitAddress, amount] }),
    )
  const pay = step(
    'pay',
    splitAddress,
    encodeFunctionData({
      abi: merchantSplitAbi,
      functionName: 'payToken',
      args: [token.address, units, reference],
    }),
  )
  if (allowance >= units) return [pay]
  // Some tokens reject a change from one non-zero allowance to another.
  return allowance > 0n ? [approve(0n), approve(units), pay] : [approve(units), pay]
}

function eip681For(attempt: Attempt, units: bigint): string {
  const { chain, depositAddress, token } = attempt
  if (token.address === nativeAddress) return `ethereum:${depositAddress}@${chain}?value=${units}`
  return `ethereum:${token.address}@${chain}/transfer?address=${depositAddress}&uint256=${units}`
}
