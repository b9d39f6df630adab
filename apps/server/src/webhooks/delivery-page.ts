import type { DeliveriesQuery, DeliveryView } from '@sluice/protocol/api/webhooks.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { webhookEvent } from '@sluice/protocol/webhook.ts'
import { badCursor, cutPage, parseLimit } from '../access/page.ts'
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
  const limit = parseLimit(query.limit)
  const found = await listNewestDeliveries(needs, merchant, {
    subject: query.receiptId,
    state: query.state,
    after: parseCursor(query.cursor),
    limit: limit + 1,
  })
  const { page, hasMore } = cutPage(found, limit)
  const last = page.at(-1)
  return {
    deliveries: page.map(viewDelivery),
    nextCursor: hasMore && last ? writeCursor(last) : null,
  }
}

/** A delivery as its merchant sees it. */
export function viewDelivery(delivery: Delivery): DeliveryView {
  const { noticeId, subject, url, idempotencyKey, sequence, state, createdAt, attempts } = delivery
  return {
    id: noticeId,
    receiptId: subject,
    url,
    event: webhookEvent,
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

function writeCursor(delivery: Delivery): string {
  return Buffer.from(`${delivery.createdAt}:${delivery.noticeId}`).toString('base64url')
}

function parseCursor(text: string | undefined): { createdAt: number; id: string } | undefined {
  if (text === undefined) return undefined
  const match = /^(\d{1,15}):([0-9a-f-]{36})$/.exec(Buffer.from(text, 'base64url').toString())
  if (!match) throw badCursor()
  return { createdAt: Number(match[1]), id: match[2] ?? '' }
}
