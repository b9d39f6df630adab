import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { TransactionOrder } from '../../chain/transactions/transaction.ts'
import { heldFor, keptOf, type Ledger } from '../ledger/ledger.ts'
import type { Split } from '../split.ts'

export function distributeOrder(split: Wallet, token: Wallet): TransactionOrder {
  return {
    kind: 'distribute',
    detail: { split, token },
    to: split,
    data: encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args: [token] }),
  }
}

/**
 * Reads the amount that a distribution would pay now, in base units.
 *
 * Held amounts and the kept unit do not count, because alone they do not justify a retry.
 */
export async function readDueOnChain(
  chain: Chain,
  split: Split,
  token: Wallet,
  ledger: Ledger,
): Promise<bigint> {
  const responses = await chain.callMany(
    split.recipients.map(({ address }) => ({ to: split.address, data: releasableCall(token, address) })),
  )
  const releasable = responses.map((response) =>
    response.ok && response.data !== '0x' ? BigInt(response.data) : 0n,
  )
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

export function splitReleasedCall(token: Wallet): Hex {
  const call = { abi: merchantSplitAbi, functionName: 'totalReleased' } as const
  return token === nativeAddress ? encodeFunctionData(call) : encodeFunctionData({ ...call, args: [token] })
}

/** Waiting time after which money is distributed if its value exceeds the gas cost. */
const longestWaitMs = 86_400_000

const gasDivisor = 20n

// From the contracts' gas table, rounded up.
const baseGas = 60_000n
const gasPerRecipient = 15_000n

// Maximum per failed recipient: the gas for its push (contracts/src/MerchantSplit.sol), for recording the
// held amount, and for the event.
const gasPerFailedNativePush = 90_000n
const gasPerFailedTokenPush = 180_000n

/**
 * Evaluates whether an amount is worth its gas: the gas may cost up to 5% of the amount, and up to 100% after
 * a day. Pure.
 *
 * If a rate is missing, only the waiting time counts. Native coin needs no rate.
 */
export function isWorthDistributing(facts: {
  readonly waitedMs: number
  readonly recipientCount: number
  /** Recipients whose last push failed and will probably fail again. */
  readonly failedCount: number
  readonly isNativeToken: boolean
  readonly maxFeePerGas: bigint
  /** L1 data fee in wei, on chains that have one. */
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

function ratesOf(facts: {
  readonly isNativeToken: boolean
  readonly tokenRate: RateE8 | undefined
  readonly etherRate: RateE8 | undefined
}): { token: bigint; ether: bigint } | undefined {
  if (facts.isNativeToken) return { token: 1n, ether: 1n }
  if (facts.tokenRate === undefined || facts.etherRate === undefined) return undefined
  return { token: facts.tokenRate, ether: facts.etherRate }
}
