import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../../kernel/assert.ts'
import type { Database } from '../../platform/database/database.ts'
import { longStatementLimitMs } from '../../platform/database/limits.ts'
import { jobNames } from '../../platform/jobs/names.ts'

/** Where a feed ends. */
export type FeedHead = { readonly number: bigint; readonly hash: string }

/** An event with its place in the chain. */
export type ChainedEvent = FeedHead & { readonly id: bigint; readonly previousHash: string }

/** An event as the feed gives it. */
export type NumberedEvent = FeedHead & {
  readonly previousHash: string
  readonly subject: string
  readonly idempotencyKey: string
  readonly body: string
  readonly createdAt: UnixMs
}

/** Whether an event of the merchant waits for its number. */
export async function hasUnnumbered(db: Database, merchant: string): Promise<boolean> {
  return (await db.row(findUnnumbered, [merchant])) !== undefined
}

/** Merchants with an event that waits for its number, but for those set aside until later. */
export async function listUnnumberedMerchants(db: Database, now: UnixMs, limit: number): Promise<string[]> {
  const rows = await db.rows<{ merchant: string }>(listMerchants, [now, limit])
  return rows.map((row) => row.merchant)
}

/** Makes the head of a merchant's feed where there is none. */
export async function ensureHead(tx: Database, merchant: string, hash: string): Promise<void> {
  await tx.run(insertHead, [merchant, hash])
}

/** The head of a merchant's feed, held until the transaction ends: numbers are given out one after the other. */
export async function lockHead(tx: Database, merchant: string): Promise<FeedHead> {
  const head = await tx.row<FeedHead>(lock, [merchant])
  assert(head, 'the head of a feed is made before it is locked')
  return head
}

/** The number of the merchant's newest event; 0 before the first. */
export async function findLastNumber(db: Database, merchant: string): Promise<bigint> {
  return (await db.row<{ number: bigint }>(findHead, [merchant]))?.number ?? 0n
}

/** Events that wait for their number, in the order they were written. */
export function listUnnumbered(
  tx: Database,
  merchant: string,
  limit: number,
): Promise<{ id: bigint; body: string }[]> {
  return tx.rows(listWaiting, [merchant, limit])
}

/** Writes numbers and hashes; a row that has them keeps them. */
export async function saveNumbers(
  tx: Database,
  merchant: string,
  events: readonly ChainedEvent[],
): Promise<void> {
  await tx.run(save, [
    merchant,
    events.map((event) => event.id),
    events.map((event) => event.number),
    events.map((event) => event.previousHash),
    events.map((event) => event.hash),
  ])
}

/** Moves the head of a merchant's feed, whose row is locked. */
export async function moveHead(tx: Database, merchant: string, to: FeedHead): Promise<void> {
  await tx.run(move, [merchant, to.number, to.hash])
}

/** The merchant's events with a number above `after`, lowest first. */
export async function listNumbered(
  db: Database,
  merchant: string,
  after: bigint,
  limit: number,
): Promise<NumberedEvent[]> {
  const rows = await db.rows<EventRow>(list, [merchant, after, limit])
  return rows.map((row) => ({
    number: row.number,
    hash: row.hash,
    previousHash: row.previous_hash,
    subject: row.subject,
    idempotencyKey: row.idempotency_key,
    body: row.body,
    createdAt: Number(row.created_at) as UnixMs,
  }))
}

/** Merchants whose feed holds events of before a time. */
export async function listMerchantsBefore(db: Database, before: UnixMs, limit: number): Promise<string[]> {
  const rows = await db.rows<{ merchant: string }>(listOld, [before, limit])
  return rows.map((row) => row.merchant)
}

/** Removes the beginning of a merchant's feed up to the first event that is not of before a time. */
export async function dropEventsBefore(db: Database, merchant: string, before: UnixMs): Promise<number> {
  return db.run(drop, [merchant, before])
}

type EventRow = {
  number: bigint
  hash: string
  previous_hash: string
  subject: string
  idempotency_key: string
  body: string
  created_at: bigint
}

const findUnnumbered = {
  name: 'find-unnumbered-event',
  text: `SELECT id FROM event WHERE merchant = $1 AND number IS NULL LIMIT 1`,
}

const listMerchants = {
  name: 'list-merchants-with-unnumbered-events',
  text: `SELECT DISTINCT merchant FROM event WHERE number IS NULL
      AND NOT EXISTS (SELECT FROM set_aside WHERE job = '${jobNames.keepFeed}' AND set_aside.merchant = event.merchant
        AND item = 'feed' AND next_try > $1)
    LIMIT $2`,
}

const insertHead = {
  name: 'insert-event-head',
  text: `INSERT INTO event_head (merchant, number, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`,
}

const lock = {
  name: 'lock-event-head',
  text: `SELECT number, hash FROM event_head WHERE merchant = $1 FOR UPDATE`,
}

const findHead = {
  name: 'find-event-head',
  text: `SELECT number FROM event_head WHERE merchant = $1`,
}

const listWaiting = {
  name: 'list-unnumbered-events',
  text: `SELECT id, body FROM event WHERE merchant = $1 AND number IS NULL ORDER BY id LIMIT $2`,
}

const save = {
  name: 'save-event-numbers',
  text: `UPDATE event SET number = n.number, previous_hash = n.previous_hash, hash = n.hash
    FROM unnest($2::int8[], $3::int8[], $4::text[], $5::text[]) AS n (id, number, previous_hash, hash)
    WHERE event.merchant = $1 AND event.id = n.id AND event.number IS NULL`,
}

const move = {
  name: 'move-event-head',
  text: `UPDATE event_head SET number = $2, hash = $3 WHERE merchant = $1`,
}

const list = {
  name: 'list-events',
  text: `SELECT number, hash, previous_hash, subject, idempotency_key, body, created_at FROM event
    WHERE merchant = $1 AND number > $2 ORDER BY number LIMIT $3`,
}

const listOld = {
  name: 'list-merchants-with-old-events',
  text: `SELECT DISTINCT merchant FROM event WHERE created_at < $1 AND number IS NOT NULL LIMIT $2`,
}

const drop = {
  name: 'drop-old-events',
  limitMs: longStatementLimitMs,
  text: `DELETE FROM event WHERE merchant = $1 AND number IS NOT NULL AND created_at < $2 AND number < coalesce(
    (SELECT min(number) FROM event WHERE merchant = $1 AND created_at >= $2), 9223372036854775807)`,
}
