import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import { int8, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table } from '../../platform/database/table.ts'

export type FeedHead = { readonly number: bigint; readonly hash: string }

export type ChainedEvent = FeedHead & { readonly id: bigint; readonly previousHash: string }

export type NumberedEvent = FeedHead & {
  readonly previousHash: string
  readonly subject: string
  readonly idempotencyKey: string
  readonly body: string
  readonly createdAt: UnixMs
}

export async function hasUnnumbered(db: Database, merchant: string): Promise<boolean> {
  return (await db.row(findUnnumbered({ merchant }))) !== undefined
}

/** Lists merchants with an unnumbered event, in order, starting after `after`. */
export async function listUnnumberedMerchants(db: Database, after: string, limit: number): Promise<string[]> {
  const rows = await db.rows(listMerchants({ after, limit }))
  return rows.map((row) => row.merchant)
}

export async function ensureHead(tx: Database, merchant: string, hash: string): Promise<void> {
  await tx.run(insertHead({ merchant, hash }))
}

/** Locks and returns a feed's head, so that numbering is serialized until the transaction ends. */
export async function lockHead(tx: Database, merchant: string): Promise<FeedHead> {
  const head = await tx.row(lock({ merchant }))
  assert(head, 'the head row of a feed exists before it is locked')
  return head
}

export async function findLastNumber(db: Database, merchant: string): Promise<bigint> {
  return (await db.row(findHead({ merchant })))?.number ?? 0n
}

export function listUnnumbered(
  tx: Database,
  merchant: string,
  limit: number,
): Promise<{ id: bigint; body: string }[]> {
  return tx.rows(listWaiting({ merchant, limit }))
}

/** Writes numbers and hashes. Rows that already have a number stay unchanged. */
export async function saveNumbers(
  tx: Database,
  merchant: string,
  events: readonly ChainedEvent[],
): Promise<void> {
  await tx.run(save({ merchant, each: events }))
}

/** Moves the head of a merchant's feed. The caller must hold its lock. */
export async function moveHead(tx: Database, merchant: string, to: FeedHead): Promise<void> {
  await tx.run(move({ merchant, number: to.number, hash: to.hash }))
}

export async function listNumbered(
  db: Database,
  merchant: string,
  after: bigint,
  limit: number,
): Promise<NumberedEvent[]> {
  return db.rows(list({ merchant, after, limit }))
}

export async function listMerchantsBefore(db: Database, before: UnixMs): Promise<string[]> {
  const rows = await db.rows(listOld({ before }))
  return rows.map((row) => row.merchant)
}

/**
 * Deletes numbered events older than `before`, up to the first event that is newer, so that the feed has no
 * gap.
 */
export async function dropEventsBefore(db: Database, merchant: string, before: UnixMs): Promise<number> {
  return db.run(drop({ merchant, before }))
}

const findUnnumbered = statement({
  name: 'find-unnumbered-event',
  text: `SELECT id FROM event WHERE merchant = :merchant AND number IS NULL LIMIT 1`,
})

const listMerchants = statement({
  name: 'list-merchants-with-unnumbered-events',
  reads: { merchant: text() },
  text: `SELECT DISTINCT merchant FROM event WHERE number IS NULL AND merchant > :after
    ORDER BY merchant LIMIT :limit`,
})

const insertHead = statement({
  name: 'insert-event-head',
  text: `INSERT INTO event_head (merchant, number, hash) VALUES (:merchant, 0, :hash) ON CONFLICT DO NOTHING`,
})

const lock = statement({
  name: 'lock-event-head',
  reads: { number: int8(), hash: text() },
  text: `SELECT number, hash FROM event_head WHERE merchant = :merchant FOR UPDATE`,
})

const findHead = statement({
  name: 'find-event-head',
  reads: { number: int8() },
  text: `SELECT number FROM event_head WHERE merchant = :merchant`,
})

const listWaiting = statement({
  name: 'list-unnumbered-events',
  text: `SELECT id, body FROM event WHERE merchant = :merchant AND number IS NULL ORDER BY id LIMIT :limit`,
})

const save = statement({
  name: 'save-event-numbers',
  text: `UPDATE event SET number = n.number, previous_hash = n.previous_hash, hash = n.hash
    FROM unnest(:each.id::int8[], :each.number::int8[], :each.previousHash::text[], :each.hash::text[]) AS n (id,
      number, previous_hash, hash)
    WHERE event.merchant = :merchant AND event.id = n.id AND event.number IS NULL`,
})

const move = statement({
  name: 'move-event-head',
  text: `UPDATE event_head SET number = :number, hash = :hash WHERE merchant = :merchant`,
})

const eventTable = table<NumberedEvent>('event', {
  number: int8(),
  hash: text(),
  previousHash: text(),
  subject: text(),
  idempotencyKey: text(),
  body: text(),
  createdAt: time(),
})

const list = statement({
  name: 'list-events',
  reads: eventTable,
  text: `SELECT ${columnsOf(eventTable)} FROM event
    WHERE merchant = :merchant AND number > :after ORDER BY number LIMIT :limit`,
})

const listOld = statement({
  name: 'list-merchants-with-old-events',
  limitMs: longStatementLimitMs,
  reads: { merchant: text() },
  text: 'SELECT DISTINCT merchant FROM event WHERE created_at < :before AND number IS NOT NULL',
})

const drop = statement({
  name: 'drop-old-events',
  limitMs: longStatementLimitMs,
  text: `DELETE FROM event WHERE merchant = :merchant AND number IS NOT NULL AND created_at < :before
    AND number < coalesce(
    (SELECT min(number) FROM event WHERE merchant = :merchant AND created_at >= :before), 9223372036854775807)`,
})

/** An event without a webhook. `body` is the body that a webhook for this event would have. */
export type NewEvent = {
  readonly merchant: Wallet
  /** Receipt id, as plain text. */
  readonly subject: string
  readonly idempotencyKey: string
  readonly body: string
}

/**
 * Adds an event to the merchant's feed, in the transaction of the change. Webhook events use
 * `enqueueDelivery`.
 */
export async function recordEvent(needs: { tx: Database; clock: Clock }, event: NewEvent): Promise<void> {
  const { merchant, subject, idempotencyKey, body } = event
  await needs.tx.run(record({ merchant, subject, idempotencyKey, body, createdAt: needs.clock.now() }))
}

const record = statement({
  name: 'record-event',
  text: `INSERT INTO event (merchant, subject, idempotency_key, body, created_at) VALUES (:merchant, :subject,
    :idempotencyKey, :body, :createdAt)`,
})
