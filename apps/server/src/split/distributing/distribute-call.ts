import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
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

/** Money that moves more than it costs is distributed after this long (decisions: Split). */
const longestWaitMs = 86_400_000

/** The most that may go into gas: 5 % of the amount. */
const gasDivisor = 20n

// What a distribution costs, rounded up from the contracts' gas table.
const baseGas = 60_000n
const gasPerRecipient = 15_000n

// What a recipient that fails costs at most: all the gas of its push (contracts/src/MerchantSplit.sol), the record
// of what is held for it and its event.
const gasPerFailedNativePush = 90_000n
const gasPerFailedTokenPush = 180_000n

/**
 * Whether an amount is worth the gas of distributing it. At first that may be 5 % of the amount; after a day all
 * of it, and never more: then it waits until more has come or gas is cheaper. Without a rate for both the token
 * and the coin only the wait counts; coin needs none. Pure.
 */
export function isWorthDistributing(facts: {
  readonly waitedMs: number
  readonly recipientCount: number
  /** Recipients whose last push failed, and most likely will again. */
  readonly failedCount: number
  readonly isNativeToken: boolean
  readonly maxFeePerGas: bigint
  /** Paid beside the gas where the chain stands on another. */
  readonly dataFee: bigint
  readonly units: TokenUnits
  readonly decimals: number
  readonly tokenRate: RateE8 | undefined
  readonly etherRate: RateE8 | undefined
}): boolean {
  const hasWaited = facts.waitedMs >= longestWaitMs
  const rates = ratesOf(facts)
  if (!rates) return hasWaited
  const costE26 = (distributionGas(facts) * facts.maxFeePerGas + facts.dataFee) * rates.ether
  const worthE26 = (facts.units * rates.token * 10n ** 18n) / 10n ** BigInt(facts.decimals)
  return costE26 * (hasWaited ? 1n : gasDivisor) <= worthE26
}

function distributionGas(facts: {
  readonly recipientCount: number
  readonly failedCount: number
  readonly isNativeToken: boolean
}): bigint {
  const perFailure = facts.isNativeToken ? gasPerFailedNativePush : gasPerFailedTokenPush
  return baseGas + gasPerRecipient * BigInt(facts.recipientCount) + perFailure * BigInt(facts.failedCount)
}

/** Coin is worth itself: of it no rate is asked. */
function ratesOf(facts: {
  readonly isNativeToken: boolean
  readonly tokenRate: RateE8 | undefined
  readonly etherRate: RateE8 | undefined
}): { token: bigint; ether: bigint } | undefined {
  if (facts.isNativeToken) return { token: 1n, ether: 1n }
  if (facts.tokenRate === undefined || facts.etherRate === undefined) return undefined
  return { token: facts.tokenRate, ether: facts.etherRate }
}
