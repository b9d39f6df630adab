import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'

/** However little it is, money is distributed after this long (decisions: Split). */
const longestWaitMs = 86_400_000

/** The most that may go into gas: 5 % of the amount. */
const gasDivisor = 20n

// What a distribution costs, rounded up from the contracts' gas table.
const baseGas = 60_000n
const gasPerRecipient = 15_000n

/**
 * Whether an amount is worth the gas of distributing it, or has waited a day. Without a rate for both the
 * token and the coin only the wait counts. Pure.
 */
export function isWorthDistributing(facts: {
  readonly waitedMs: number
  readonly recipientCount: number
  readonly maxFeePerGas: bigint
  /** Paid beside the gas where the chain stands on another. */
  readonly dataFee: bigint
  readonly units: TokenUnits
  readonly decimals: number
  readonly tokenRate: RateE8 | undefined
  readonly etherRate: RateE8 | undefined
}): boolean {
  if (facts.waitedMs >= longestWaitMs) return true
  if (facts.tokenRate === undefined || facts.etherRate === undefined) return false
  const gas = baseGas + gasPerRecipient * BigInt(facts.recipientCount)
  const costE26 = (gas * facts.maxFeePerGas + facts.dataFee) * facts.etherRate
  const worthE26 = (facts.units * facts.tokenRate * 10n ** 18n) / 10n ** BigInt(facts.decimals)
  return costE26 * gasDivisor <= worthE26
}
