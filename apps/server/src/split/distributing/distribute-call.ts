import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { TransactionOrder } from '../../chain/transactions/transaction.ts'
import { heldFor, keptOf, type Ledger } from '../ledger/ledger.ts'
import type { Split } from '../split.ts'

/** The call that has a split pay everybody what it is due of `token`. */
export function distributeOrder(split: Wallet, token: Wallet): TransactionOrder {
  return {
    kind: 'distribute',
    detail: { split, token },
    to: split,
    data: encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args: [token] }),
  }
}

/**
 * What the newest block says a distribution would pay out, in base units. What the books know to be held for
 * recipients that cannot be paid does not count: alone it is no reason to try again. Nor does a kept unit.
 */
export async function readDueOnChain(
  chain: Chain,
  split: Split,
  token: Wallet,
  ledger: Ledger,
): Promise<bigint> {
  const answers = await chain.callMany(
    split.recipients.map(({ address }) => ({ to: split.address, data: releasableCall(token, address) })),
  )
  const releasable = answers.map((answer) => (answer.ok && answer.data !== '0x' ? BigInt(answer.data) : 0n))
  let due = 0n
  for (const [i, recipient] of split.recipients.entries()) {
    const beyondHeld = (releasable[i] ?? 0n) - heldFor(ledger, recipient) - keptOf(ledger, recipient.address)
    if (beyondHeld > 0n) due += beyondHeld
  }
  return due
}

function releasableCall(token: Wallet, account: Wallet) {
  return token === nativeAddress
    ? encodeFunctionData({ abi: merchantSplitAbi, functionName: 'releasable', args: [account] })
    : encodeFunctionData({ abi: merchantSplitAbi, functionName: 'releasable', args: [token, account] })
}

/** The call of a split that answers what it has released of a token ever. */
export function splitReleasedCall(token: Wallet): Hex {
  const call = { abi: merchantSplitAbi, functionName: 'totalReleased' } as const
  return token === nativeAddress ? encodeFunctionData(call) : encodeFunctionData({ ...call, args: [token] })
}
