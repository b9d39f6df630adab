import type { Cents, RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../../kernel/assert.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Attempt } from '../attempts/attempt.ts'
import { worthInCents } from '../ledger/evaluate-payment.ts'
import type { Finding } from '../ledger/match-transfer.ts'
import { compareOnChain, type Payment } from '../ledger/payment.ts'
import { insertPayments } from '../ledger/store.ts'

/**
 * Maximum number of payments per receipt, because anyone can send thousands of tiny ones.
 *
 * A further payment counts only if it is worth at least 1/200 of the total. Dust therefore cannot block a
 * buyer.
 */
export const mostPayments = 200n

type Known = {
  readonly total: Cents
  readonly attempts: readonly Attempt[]
  readonly count: number
}

/**
 * Stores new findings of one receipt as payments.
 *
 * @returns the payments in chain order, and the findings beyond the limit, which go to the inbox.
 */
export async function recordFindings(
  tx: Database,
  { total, attempts, count }: Known,
  findings: readonly Finding[],
  now: UnixMs,
): Promise<{ fresh: Payment[]; surplus: Finding[] }> {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  const fresh: Payment[] = []
  const surplus: Finding[] = []
  for (const finding of findings.toSorted(compareOnChain)) {
    const attempt = byId.get(finding.target.attemptId)
    assert(attempt, 'a target belongs to an attempt of its receipt')
    const payment = makePayment(attempt, finding, now)
    const isWithin = count + fresh.length < mostPayments || worthInCents([payment]) * mostPayments >= total
    if (isWithin) fresh.push(payment)
    else surplus.push(finding)
  }
  const [attempt] = attempts
  if (attempt) await insertPayments(tx, attempt.chain, fresh)
  return { fresh, surplus }
}

function makePayment(attempt: Attempt, finding: Finding, now: UnixMs): Payment {
  const { txHash, logIndex, address, kind, source, payer, block } = finding
  const isLate = block.at > attempt.expiresAt
  return {
    merchant: attempt.merchant,
    receiptId: attempt.receiptId,
    attemptId: attempt.id,
    txHash,
    logIndex,
    address,
    kind,
    source,
    token: attempt.token,
    units: finding.amount as TokenUnits,
    payer,
    rate: isLate ? lower(attempt.rate, finding.lateRate) : attempt.rate,
    isLate,
    block,
    state: 'seen',
    seenAt: now,
    creditedAt: undefined,
    acceptedAt: undefined,
  }
}

function lower(quoted: RateE8, current: RateE8 | undefined): RateE8 {
  return current === undefined ? (0n as RateE8) : current < quoted ? current : quoted
}
