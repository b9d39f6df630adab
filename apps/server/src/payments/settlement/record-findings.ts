import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../../kernel/assert.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Attempt } from '../attempts/attempt.ts'
import type { Finding } from '../ledger/match-transfer.ts'
import { compareOnChain, type Payment } from '../ledger/payment.ts'
import { insertPayments } from '../ledger/store.ts'

/** Writes down what was found for one receipt and was not known, and gives that back in the order of the chain. */
export async function recordFindings(
  tx: Database,
  attempts: readonly Attempt[],
  findings: readonly Finding[],
  now: UnixMs,
): Promise<Payment[]> {
  const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]))
  const fresh = findings.map((finding) => {
    const attempt = byId.get(finding.target.attemptId)
    assert(attempt, 'a target belongs to an attempt of its receipt')
    return makePayment(attempt, finding, now)
  })
  const [attempt] = attempts
  if (attempt) await insertPayments(tx, attempt.chain, fresh)
  return fresh.sort(compareOnChain)
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
