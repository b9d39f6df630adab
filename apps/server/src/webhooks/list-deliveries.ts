import { webhookKindOf } from '@sluice/protocol/api/webhook-body.ts'
import type { DeliveriesQuery, DeliveryView } from '@sluice/protocol/api/webhooks.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { readPage, timeCursor } from '../kernel/page.ts'
import { int8, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table } from '../platform/database/table.ts'
import { attemptTable, type DeliveryState, type StoredAttempt } from './queued-delivery.ts'

/** Delivery of an event, with its attempts. Only a `pending` delivery is sent again. */
export type Delivery = {
  readonly id: string
  readonly subject: string
  readonly url: string
  readonly idempotencyKey: string
  readonly sequence: bigint
  readonly state: DeliveryState
  /** Id of the newer delivery that is sent instead. */
  readonly supersededBy: string | undefined
  readonly createdAt: UnixMs
  readonly settledAt: UnixMs | undefined
  /** `undefined` if the delivery is settled. */
  readonly nextAt: UnixMs | undefined
  readonly attempts: readonly Omit<StoredAttempt, 'messageId'>[]
}

type DeliveryQuery = {
  readonly subject?: string | undefined
  readonly state?: DeliveryState | undefined
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}

/** Lists the deliveries of a subject, oldest first, at most 200. */
export async function listDeliveries(
  needs: { db: Database },
  merchant: Wallet,
  subject: string,
): Promise<Delivery[]> {
  return withAttempts(needs.db, merchant, await needs.db.rows(listMessages({ merchant, subject })))
}

async function listNewestDeliveries(
  needs: { db: Database },
  merchant: Wallet,
  query: DeliveryQuery,
): Promise<Delivery[]> {
  const { subject, state, after, limit } = query
  const rows = await needs.db.rows(
    listNewest({ merchant, subject, state, afterCreatedAt: after?.createdAt, afterId: after?.id, limit }),
  )
  return withAttempts(needs.db, merchant, rows)
}

export async function findDelivery(
  needs: { db: Database },
  merchant: Wallet,
  messageId: string,
): Promise<Delivery | undefined> {
  const rows = await needs.db.rows(findQueuedDelivery({ merchant, messageId }))
  return (await withAttempts(needs.db, merchant, rows))[0]
}

async function withAttempts(
  db: Database,
  merchant: Wallet,
  messages: readonly OutboxMessage[],
): Promise<Delivery[]> {
  const ids = messages.map((message) => message.id)
  return joinAttempts(messages, ids.length > 0 ? await db.rows(listAttempts({ merchant, ids })) : [])
}

/** Adds to each delivery its attempts, in order. */
export function joinAttempts(
  messages: readonly OutboxMessage[],
  attempts: readonly StoredAttempt[],
): Delivery[] {
  const byMessage = Map.groupBy(attempts, (attempt) => attempt.messageId)
  return messages.map(({ nextAt, ...message }) => ({
    ...message,
    nextAt: message.state === 'pending' ? nextAt : undefined,
    attempts: (byMessage.get(message.id) ?? []).map(({ messageId: _, ...attempt }) => attempt),
  }))
}

type OutboxMessage = Omit<Delivery, 'attempts' | 'nextAt'> & { readonly nextAt: UnixMs }

/** Columns of a delivery without its attempts. */
export const outboxTable = table<OutboxMessage>('outbox_message', {
  id: text(),
  subject: text(),
  url: text(),
  idempotencyKey: text(),
  sequence: int8(),
  state: text(),
  supersededBy: optional(text()),
  createdAt: time(),
  settledAt: optional(time()),
  nextAt: time(),
})

/** SQL of {@link listDeliveries} for the receipt alias `r` of an enclosing statement. */
export const messagesOfReceipt = `FROM outbox_message WHERE merchant = :merchant AND subject = r.id
  ORDER BY sequence, created_at LIMIT 200` as const

/** SQL of the attempts that belong to the deliveries of {@link messagesOfReceipt}. */
export const attemptsOfReceipt = `FROM delivery_attempt WHERE merchant = :merchant
  AND message_id IN (SELECT id ${messagesOfReceipt}) ORDER BY message_id, attempt` as const

const listMessages = statement({
  name: 'list-messages',
  reads: outboxTable,
  text: `SELECT ${columnsOf(outboxTable)} FROM outbox_message WHERE merchant = :merchant AND subject = :subject
    ORDER BY sequence, created_at LIMIT 200`,
})

const listNewest = statement({
  name: 'list-newest-messages',
  reads: outboxTable,
  text: `SELECT ${columnsOf(outboxTable)} FROM outbox_message
    WHERE merchant = :merchant AND (:subject::text IS NULL OR subject = :subject)
      AND (:state::text IS NULL OR state = :state)
      AND (:afterCreatedAt::int8 IS NULL OR (created_at, id) < (:afterCreatedAt, :afterId::text))
    ORDER BY created_at DESC, id DESC LIMIT :limit`,
})

const findQueuedDelivery = statement({
  name: 'find-message',
  reads: outboxTable,
  text: `SELECT ${columnsOf(outboxTable)} FROM outbox_message WHERE merchant = :merchant AND id = :messageId`,
})

const listAttempts = statement({
  name: 'list-delivery-attempts',
  reads: attemptTable,
  text: `SELECT ${columnsOf(attemptTable)} FROM delivery_attempt WHERE merchant = :merchant AND message_id = ANY(:ids::text[]) ORDER BY message_id, attempt`,
})

/**
 * Returns a page of the merchant's delivery log, newest first.
 *
 * @throws {ApiError} `invalid_input` for a limit outside 1–200 or a cursor from another list.
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
      error: attempt.error ?? null,
    })),
  }
}

const cursor = timeCursor('createdAt', (text) => (/^[0-9a-f-]{36}$/.test(text) ? text : undefined))
