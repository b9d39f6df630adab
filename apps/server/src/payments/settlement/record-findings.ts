import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../../kernel/assert.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Attempt } from '../attempts/attempt.ts'
import type { ReturnedLog } from '../ledger/known-log.ts'
import { returnLogs } from '../ledger/known-log-store.ts'
import type { Finding } from '../ledger/match-transfer.ts'
import { type Payment, textOfKey } from '../ledger/payment.ts'
import { insertPayments } from '../ledger/store.ts'

/**
 * Writes down what was found for one receipt and was not known, and gives its payments back, the new ones
 * included.
 */
export async function recordFindings(
  tx: Database,
  known: { readonly attempts: readonly Attempt[]; readonly payments: readonly Payment[] },
  findings: readonly Finding[],
  now: UnixMs,
): Promise<Payment[]> {
  const fresh: Payment[] = []
  const attempts = new Map(known.attempts.map((attempt) => [attempt.id, attempt]))
  for (const finding of findings) {
    const attempt = attempts.get(finding.target.attemptId)
    assert(attempt, 'a target belongs to an attempt of its receipt')
    fresh.push(makePayment(attempt, finding, now))
  }
  const [attempt] = known.attempts
  if (attempt) await insertPayments(tx, attempt.chain, fresh)
  return [...known.payments, ...fresh]
}

/**
 * Gives payments that a reorg took out of their blocks the places they stand in now. Each goes on as what it
 * was: credited if it was credited, and left to the inbox where somebody has decided about it there.
 */
export async function recordReturned(
  tx: Database,
  chain: number,
  known: readonly Payment[],
  returned: readonly ReturnedLog[],
): Promise<{ payments: Payment[]; back: Payment[] }> {
  const payments = new Map(known.map((payment) => [textOfKey(payment), payment]))
  const back: Payment[] = []
  for (const { was, found } of returned) {
    const before = payments.get(textOfKey(was))
    assert(before, 'what is known of a receipt is among its payments')
    const { txHash, logIndex, address, block } = found
    const state = before.creditedAt !== undefined ? 'credited' : was.isDecided ? 'unmatched' : 'seen'
    const payment: Payment = { ...before, txHash, logIndex, address, block, state, acceptedAt: undefined }
    payments.set(textOfKey(was), payment)
    back.push(payment)
  }
  await returnLogs(tx, chain, returned)
  return { payments: [...payments.values()], back }
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
