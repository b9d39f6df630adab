import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { type ClaimedDelivery, type DeliveryAttempt, isDelivered } from '../queued-delivery.ts'
import { type EventChange, findNewerDelivery, recordAttempt, settleDelivery } from '../store.ts'
import { nextStep } from './schedule.ts'

/**
 * Writes an attempt down with what follows from it, in one transaction, if the claim still stands;
 * else nothing: whoever has claimed the notice since then tells its own story.
 */
export async function settleAttempt(
  needs: { db: Database; random: Random },
  notice: ClaimedDelivery,
  attempt: DeliveryAttempt,
): Promise<void> {
  await needs.db.transaction(async (tx) => {
    const change = await judge({ tx, random: needs.random }, notice, attempt)
    if (await settleDelivery(tx, notice, change)) await recordAttempt(tx, notice, attempt)
  })
}

async function judge(
  needs: { tx: Database; random: Random },
  notice: ClaimedDelivery,
  attempt: DeliveryAttempt,
): Promise<EventChange> {
  const attemptCount = notice.attemptCount + 1
  if (isDelivered(attempt)) return { state: 'delivered', attemptCount, at: attempt.endedAt }
  const next = nextStep(attemptCount, notice.createdAt, attempt.endedAt)
  if (next.kind === 'again' && !next.startsCycle)
    return {
      state: 'pending',
      attemptCount,
      nextAt: next.at,
      deliveryId: notice.deliveryId,
      cycle: notice.cycle,
    }
  const newer = await findNewerDelivery(needs.tx, notice)
  if (newer) return { state: 'superseded', attemptCount, at: attempt.endedAt, by: newer }
  if (next.kind === 'exhausted') return { state: 'exhausted', attemptCount, at: attempt.endedAt }
  const deliveryId = randomUuid(needs.random)
  return { state: 'pending', attemptCount, nextAt: next.at, deliveryId, cycle: notice.cycle + 1 }
}
