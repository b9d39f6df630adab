import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import {
  webhookDailyMs,
  webhookGiveUpMs,
  webhookRetryMs,
  webhookScheduleMs,
} from '@sluice/protocol/webhook.ts'
import { type Random, randomUuid } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { WebhookAttempt } from '../../platform/metrics.ts'
import { type ClaimedDelivery, type DeliveryAttempt, isDelivered } from '../queued-delivery.ts'
import { type EventChange, findNewerDelivery, recordAttempt, settleDelivery } from '../store.ts'

/** Records an attempt and the delivery's new state in one transaction. Does nothing if the claim was lost. */
export async function settleAttempt(
  needs: { db: Database; random: Random },
  message: ClaimedDelivery,
  attempt: DeliveryAttempt,
): Promise<void> {
  await needs.db.transaction(async (tx) => {
    const change = await evaluate({ tx, random: needs.random }, message, attempt)
    if (await settleDelivery(tx, message, change)) await recordAttempt(tx, message, attempt)
  })
}

async function evaluate(
  needs: { tx: Database; random: Random },
  message: ClaimedDelivery,
  attempt: DeliveryAttempt,
): Promise<EventChange> {
  const attemptCount = message.attemptCount + 1
  if (isDelivered(attempt)) return { state: 'delivered', attemptCount, at: attempt.endedAt }
  const next = nextStep(attemptCount, message.createdAt, attempt.endedAt)
  if (next.kind === 'again' && !next.startsCycle)
    return {
      state: 'pending',
      attemptCount,
      nextAt: next.at,
      deliveryId: message.deliveryId,
      cycle: message.cycle,
    }
  const newer = await findNewerDelivery(needs.tx, message)
  if (newer) return { state: 'superseded', attemptCount, at: attempt.endedAt, by: newer }
  if (next.kind === 'exhausted') return { state: 'exhausted', attemptCount, at: attempt.endedAt }
  const deliveryId = randomUuid(needs.random)
  return { state: 'pending', attemptCount, nextAt: next.at, deliveryId, cycle: message.cycle + 1 }
}

type NextStep =
  | { readonly kind: 'again'; readonly at: UnixMs; readonly startsCycle: boolean }
  | { readonly kind: 'exhausted' }

/**
 * Returns the next step after attempt number `attempt` (from 1) failed at `failedAt`.
 *
 * The first two attempts form one cycle. Each later attempt is a separate cycle on the reconciliation
 * schedule. The last attempt is ten days after creation.
 */
export function nextStep(attempt: number, createdAt: UnixMs, failedAt: UnixMs): NextStep {
  if (attempt === 1) return { kind: 'again', at: addMs(failedAt, webhookRetryMs), startsCycle: false }
  const giveUpAt = addMs(createdAt, webhookGiveUpMs)
  if (failedAt >= giveUpAt) return { kind: 'exhausted' }
  const at = addMs(failedAt, webhookScheduleMs[attempt - 2] ?? webhookDailyMs)
  return { kind: 'again', at: at < giveUpAt ? at : giveUpAt, startsCycle: true }
}

/**
 * Returns the log fields of an attempt: the receiver's host, but not its path, which may contain a secret.
 */
export function lineOf(
  message: ClaimedDelivery,
  attempt: DeliveryAttempt,
  { outcome, latenessMs }: WebhookAttempt,
) {
  const { id, merchant, subject, host, deliveryId, attemptCount, cycle } = message
  const { status, error, startedAt, endedAt } = attempt
  const ms = endedAt - startedAt
  const number = attemptCount + 1
  return {
    message: id,
    merchant,
    subject,
    host,
    deliveryId,
    number,
    cycle,
    outcome,
    status,
    error,
    ms,
    latenessMs,
  }
}

export function measure(message: ClaimedDelivery, attempt: DeliveryAttempt): WebhookAttempt {
  const latenessMs = attempt.startedAt - message.dueAt
  if (isDelivered(attempt)) return { outcome: 'delivered', latenessMs }
  if (attempt.status !== undefined) return { outcome: 'refused', latenessMs }
  return { outcome: attempt.error === 'timeout' ? 'timeout' : 'unreachable', latenessMs }
}
