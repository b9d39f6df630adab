import type { ReceiptDetail } from '@sluice/protocol/api/receipts/receipts.ts'
import type { Delivery } from '../../webhooks/list-deliveries.ts'
import type { HistoryEntry } from '../history.ts'
import type { TelemetryCount } from './count-telemetry.ts'

type TimelineEntry = ReceiptDetail['timeline'][number]

export function viewTimeline(
  history: readonly HistoryEntry[],
  deliveries: readonly Delivery[],
): TimelineEntry[] {
  const happened = history.map((entry) => ({
    at: entry.at,
    kind: entry.kind,
    fromStatus: entry.fromStatus ?? null,
    toStatus: entry.toStatus ?? null,
    detail: entry.detail,
  }))
  const deliveryEvents = deliveries.flatMap(({ id: messageId, idempotencyKey, attempts }) =>
    attempts.map((attempt) => ({
      at: attempt.startedAt,
      kind: 'webhook_attempt',
      fromStatus: null,
      toStatus: null,
      detail: {
        id: messageId,
        idempotencyKey,
        deliveryId: attempt.deliveryId,
        attempt: attempt.attempt,
        status: attempt.status ?? null,
        error: attempt.error ?? null,
        durationMs: attempt.durationMs,
      },
    })),
  )
  return [...happened, ...deliveryEvents].toSorted((a, b) => a.at - b.at)
}

export function viewWholeTimeline(
  history: readonly HistoryEntry[],
  deliveries: readonly Delivery[],
  telemetry: readonly TelemetryCount[],
): TimelineEntry[] {
  const reported = telemetry.map(({ value, count, firstAt, lastAt }) => ({
    at: firstAt,
    kind: 'checkout_event',
    fromStatus: null,
    toStatus: null,
    detail: { value, count: Number(count), lastAt },
  }))
  return [...viewTimeline(history, deliveries), ...reported].toSorted((a, b) => a.at - b.at)
}
