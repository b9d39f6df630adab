import type { WebhookAttempt } from '../../platform/metrics.ts'
import { type ClaimedDelivery, type DeliveryAttempt, isDelivered } from '../queued-delivery.ts'

/** What the log says of an attempt: the receiver's host, never its path, which may hold a secret. */
export function lineOf(
  notice: ClaimedDelivery,
  attempt: DeliveryAttempt,
  { outcome, latenessMs }: WebhookAttempt,
) {
  const { id, merchant, subject, host, deliveryId, attemptCount, cycle } = notice
  const { status, fault, startedAt, endedAt } = attempt
  const ms = endedAt - startedAt
  const number = attemptCount + 1
  return {
    notice: id,
    merchant,
    subject,
    host,
    deliveryId,
    number,
    cycle,
    outcome,
    status,
    fault,
    ms,
    latenessMs,
  }
}

/** What is measured of an attempt. */
export function measure(notice: ClaimedDelivery, attempt: DeliveryAttempt): WebhookAttempt {
  const latenessMs = attempt.startedAt - notice.dueAt
  if (isDelivered(attempt)) return { outcome: 'delivered', latenessMs }
  if (attempt.status !== undefined) return { outcome: 'refused', latenessMs }
  return { outcome: attempt.fault === 'timeout' ? 'timeout' : 'unreachable', latenessMs }
}
