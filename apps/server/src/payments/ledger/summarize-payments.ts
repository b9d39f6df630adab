import { type Cents, type TokenUnits, tokenUnitsFor } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { OtherToken, PaymentState, PaymentSummary } from '../../receipts/receipt.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { type FinalityTags, finalityOf, lowerFinality } from '../cursors/finality.ts'
import { askedUnits, excessUnits, isEnough, worthInCents } from './evaluate-payment.ts'
import { compareOnChain, isLive, isReversed, type Payment } from './payment.ts'

/**
 * Summarizes a receipt's payments, in the token of the newest live payment or otherwise of the newest
 * attempt.
 *
 * @param input.attempts - Oldest first.
 * @param input.coveredTo - Time of the last scanned block: an attempt expires only when no payment in time
 * can still appear.
 */
export function summarizePayments(input: {
  readonly total: Cents
  readonly attempts: readonly Attempt[]
  readonly payments: readonly Payment[]
  readonly hasVanished?: boolean
  readonly tags: FinalityTags
  readonly coveredTo: UnixMs
}): PaymentSummary | undefined {
  const { total, attempts, tags } = input
  const live = input.payments.filter(isLive).sort(compareOnChain)
  const newest = live.at(-1)
  const attempt = attempts.find(({ id }) => id === newest?.attemptId) ?? attempts.at(-1)
  if (!attempt) return undefined

  const { [attempt.token.address]: own, ...others } = sumByToken(live)
  const covers = isEnough(total, live)
  return {
    state: stateOf(input, live),
    token: attempt.token.symbol,
    decimals: attempt.token.decimals,
    due: tokenUnitsFor(total, attempt.rate, attempt.token.decimals),
    received: own?.units ?? (0n as TokenUnits),
    missing: covers ? (0n as TokenUnits) : askedUnits(total, live, attempt),
    excess: covers ? excessUnits(total, live, attempt) : (0n as TokenUnits),
    others: Object.values(others),
    creditedCents: worthInCents(live.filter(({ state }) => state === 'credited')),
    blockNumber: newest?.block.number,
    finality:
      live.length === 0 ? 'none' : live.map((p) => finalityOf(tags, p.block.number)).reduce(lowerFinality),
  }
}

function sumByToken(live: readonly Payment[]): Record<string, OtherToken> {
  const sums: Record<string, OtherToken> = {}
  for (const { token, units } of live) {
    const { address, symbol, decimals } = token
    const before = sums[address]?.units ?? 0n
    sums[address] = { token: symbol, decimals, units: (before + units) as TokenUnits }
  }
  return sums
}

function stateOf(input: Parameters<typeof summarizePayments>[0], live: readonly Payment[]): PaymentState {
  const { total, attempts, payments, hasVanished, coveredTo } = input
  const credited = live.filter((payment) => payment.state === 'credited')
  if (isEnough(total, credited)) {
    if (worthInCents(credited) > total) return 'over'
    return credited.some((payment) => payment.isLate) ? 'late' : 'paid'
  }
  if (hasVanished || payments.some(isReversed)) return 'orphaned'
  if (live.length > 0) return isEnough(total, live) ? 'seen' : 'short'
  const isAwaited = attempts.some((each) => each.closedAt === undefined && each.expiresAt > coveredTo)
  return isAwaited ? 'awaiting' : 'expired'
}
