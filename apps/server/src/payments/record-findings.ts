import type { RateE8, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../kernel/assert.ts'
import type { Database } from '../platform/database.ts'
import type { Attempt } from './attempt.ts'
import type { Finding } from './match-transfer.ts'
import { type Payment, textOfKey } from './payment.ts'
import { insertPayments, movePayment } from './payment-store.ts'

/** The rates of now, by symbol, for payments that came after their quote. */
export type LateRates = ReadonlyMap<string, RateE8>

/**
 * Writes down what was found for one receipt and gives its payments back, the new ones included.
 *
 * Money known already stays as it is. Money that a reorg took out of its block, and that stands in another
 * one now, is the same payment: it goes on as what it was.
 */
export async function recordFindings(
  tx: Database,
  known: { readonly attempts: readonly Attempt[]; readonly payments: readonly Payment[] },
  findings: readonly Finding[],
  around: { readonly lateRates: LateRates; readonly now: UnixMs },
): Promise<Payment[]> {
  const payments = [...known.payments]
  const fresh: Payment[] = []
  const standing = new Set(payments.flatMap((each) => (each.state === 'orphaned' ? [] : [textOfKey(each)])))
  for (const finding of findings) {
    if (standing.has(textOfKey(finding))) continue
    const attempt = known.attempts.find(({ id }) => id === finding.target.attemptId)
    assert(attempt, 'a target belongs to an attempt of its receipt')
    const lost = payments.findIndex((payment) => isSameMoney(payment, finding))
    const before = payments[lost]
    if (before) {
      const { txHash, logIndex, address, block } = finding
      const state = before.creditedAt === undefined ? 'seen' : 'credited'
      const payment: Payment = { ...before, txHash, logIndex, address, block, state }
      await movePayment(tx, attempt.chain, before, payment)
      payments[lost] = payment
    } else {
      fresh.push(makePayment(attempt, finding, around))
    }
  }
  const [attempt] = known.attempts
  if (attempt) await insertPayments(tx, attempt.chain, fresh)
  return [...payments, ...fresh]
}

function makePayment(
  attempt: Attempt,
  finding: Finding,
  { lateRates, now }: { readonly lateRates: LateRates; readonly now: UnixMs },
): Payment {
  const { txHash, logIndex, address, kind, payer, block } = finding
  const isLate = block.at > attempt.expiresAt
  return {
    merchant: attempt.merchant,
    receiptId: attempt.receiptId,
    attemptId: attempt.id,
    txHash,
    logIndex,
    address,
    kind,
    token: attempt.token,
    units: finding.amount as TokenUnits,
    payer,
    rate: isLate ? lower(attempt.rate, lateRates.get(attempt.token.symbol)) : attempt.rate,
    isLate,
    block,
    state: 'seen',
    seenAt: now,
    creditedAt: undefined,
  }
}

function lower(quoted: RateE8, current: RateE8 | undefined): RateE8 {
  return current === undefined ? (0n as RateE8) : current < quoted ? current : quoted
}

/** The transaction ran again and did the same: log index and block alone may differ. */
function isSameMoney(payment: Payment, finding: Finding): boolean {
  return (
    payment.state === 'orphaned' &&
    payment.txHash === finding.txHash &&
    payment.attemptId === finding.target.attemptId &&
    payment.kind === finding.kind &&
    payment.units === finding.amount
  )
}
