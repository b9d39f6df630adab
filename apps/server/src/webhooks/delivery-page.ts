import { webhookKindOf } from '@sluice/protocol/api/webhook-body.ts'
import type { DeliveriesQuery, DeliveryView } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { readPage, timeCursor } from '../kernel/page.ts'
import type { Database } from '../platform/database/database.ts'
import { type Delivery, listNewestDeliveries } from './list-deliveries.ts'

/**
 * A page of the merchant's delivery log, newest first.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listDeliveryPage(
  needs: { db: Database },
  merchant: Wallet,
  query: DeliveriesQuery,
): Promise<{ deliveries: DeliveryView[]; nextCursor: string | null }> {
  const { receiptId: subject, state } = query
  const { page, nextCursor } = await readPage(query, cursor, (after, limit) =>
    listNewestDeliveries(needs, merchant, { subject, state, after, limit }),
  )
  return { deliveries: page.map(viewDelivery), nextCursor }
}

/** A delivery as its merchant sees it. */
export function viewDelivery(delivery: Delivery): DeliveryView {
  const { id, subject, url, idempotencyKey, sequence, state, createdAt, attempts } = delivery
  return {
    id,
    receiptId: subject,
    url,
    event: webhookKindOf(idempotencyKey),
    idempotencyKey,
    sequence: Number(sequence),
    state,
    supersededBy: delivery.supersededBy ?? null,
    createdAt,
    settledAt: delivery.settledAt ?? null,
    nextAttemptAt: delivery.nextAt ?? null,
    attemptCount: attempts.length,
    attempts: attempts.map((attempt) => ({
      ...attempt,
      status: attempt.status ?? null,
      fault: attempt.fault ?? null,
    })),
  }
}

const cursor = timeCursor('createdAt', (text) => (/^[0-9a-f-]{36}$/.test(text) ? text : undefined))
