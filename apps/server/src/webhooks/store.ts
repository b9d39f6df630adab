import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, int8, named, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, placesOf } from '../platform/database/table.ts'
import {
  attemptTable,
  type ClaimedDelivery,
  type DeliveryAttempt,
  type DueDelivery,
} from './queued-delivery.ts'

export type EventChange = { readonly attemptCount: number } & (
  | { readonly state: 'delivered' | 'exhausted'; readonly at: UnixMs }
  | { readonly state: 'superseded'; readonly at: UnixMs; readonly by: string }
  | {
      readonly state: 'pending'
      readonly nextAt: UnixMs
      readonly deliveryId: string
      readonly cycle: number
    }
)

/**
 * Claims the deliveries in `due` that are still due and unclaimed, until `until`.
 *
 * Rows of later cycles may be locked because the watcher is superseding them. Such rows are skipped, with one
 * statement per merchant. Rows of cycle 0 are locked only briefly, and skipping locked rows would double the
 * query's cost.
 *
 * @param claim.token - Starts with the holder's name and a colon.
 */
export async function claimDeliveries(
  db: Database,
  due: readonly DueDelivery[],
  claim: { now: UnixMs; until: UnixMs; token: string },
): Promise<ClaimedDelivery[]> {
  const [first, later] = [due.filter(({ cycle }) => cycle === 0), due.filter(({ cycle }) => cycle > 0)]
  const merchants = [...new Set(first.map(({ merchant }) => merchant))]
  const rows =
    first.length > 0 ? await db.rows(claimDue({ merchants, ids: first.map(({ id }) => id), ...claim })) : []
  for (const [merchant, own] of Map.groupBy(later, (each) => each.merchant))
    rows.push(...(await db.rows(claimFree({ merchant, ids: own.map(({ id }) => id), ...claim }))))
  return rows.map((row) => ({ ...row, claimToken: claim.token }))
}

export async function findNewerDelivery(db: Database, message: ClaimedDelivery): Promise<string | undefined> {
  return (
    await db.row(
      findNewer({ merchant: message.merchant, subject: message.subject, sequence: message.sequence }),
    )
  )?.id
}

/** Records an outcome, but keeps a settled state. Returns `false` if the claim was lost. */
export async function settleDelivery(
  tx: Database,
  message: ClaimedDelivery,
  change: EventChange,
): Promise<boolean> {
  const isPending = change.state === 'pending'
  const count = await tx.run(
    settle({
      merchant: message.merchant,
      id: message.id,
      claimToken: message.claimToken,
      attemptCount: change.attemptCount,
      state: change.state,
      supersededBy: change.state === 'superseded' ? change.by : null,
      settledAt: isPending ? null : change.at,
      nextAt: isPending ? change.nextAt : null,
      deliveryId: isPending ? change.deliveryId : null,
      cycle: isPending ? change.cycle : null,
    }),
  )
  return count > 0
}

export async function unclaimDelivery(db: Database, message: ClaimedDelivery): Promise<void> {
  await db.run(unclaim({ merchant: message.merchant, id: message.id, claimToken: message.claimToken }))
}

/** Extends a claim. Returns `false` if the claim was lost. */
export async function extendClaim(db: Database, message: ClaimedDelivery, until: UnixMs): Promise<boolean> {
  const { merchant, id, claimToken } = message
  return (await db.run(extend({ merchant, id, claimToken, until }))) > 0
}

/** Releases the claims of dead processes. Returns the number of deliveries released. */
export async function freeClaimsOf(db: Database, holders: readonly string[], now: UnixMs): Promise<number> {
  return db.run(freeClaims({ now, holders }))
}

export async function recordAttempt(
  tx: Database,
  message: ClaimedDelivery,
  attempt: DeliveryAttempt,
): Promise<void> {
  await tx.run(
    record({
      merchant: message.merchant,
      messageId: message.id,
      attempt: message.attemptCount + 1,
      deliveryId: message.deliveryId,
      startedAt: attempt.startedAt,
      durationMs: Math.max(0, attempt.endedAt - attempt.startedAt),
      status: attempt.status,
      error: attempt.error,
      exchange: attempt.exchange && JSON.stringify(attempt.exchange),
    }),
  )
}

/**
 * `coalesce` prevents the planner from using the index of pending rows.
 *
 * When many rows become due at once, stale statistics do not count them. Each claim would then scan all of
 * them.
 */
const isFree = `id = ANY(:ids::text[])
      AND coalesce(state, '') = 'pending' AND next_at <= :now AND claimed_until <= :now`

const claimed = {
  merchant: text(),
  id: text(),
  subject: text(),
  sequence: int8(),
  brandKey: text(),
  url: text(),
  host: text(),
  keyId: text(),
  encryptedKey: text(),
  idempotencyKey: text(),
  body: text(),
  deliveryId: text(),
  attemptCount: count(),
  cycle: count(),
  createdAt: time(),
  dueAt: named('next_at', time()),
} as const

const claimDue = statement({
  name: 'claim-messages',
  reads: claimed,
  text: `UPDATE outbox_message SET claimed_until = :until, claim_token = :token
    WHERE merchant = ANY(:merchants::text[]) AND ${isFree}
    RETURNING merchant, id, subject, sequence, brand_key, url, host, key_id, encrypted_key, idempotency_key, body,
      delivery_id, attempt_count, cycle, created_at, next_at`,
})

const claimFree = statement({
  name: 'claim-free-messages',
  reads: claimed,
  text: `WITH free AS (
      SELECT id FROM outbox_message WHERE merchant = :merchant AND ${isFree} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE outbox_message AS n SET claimed_until = :until, claim_token = :token FROM free
    WHERE n.merchant = :merchant AND n.id = free.id
    RETURNING n.merchant, n.id, n.subject, n.sequence, n.brand_key, n.url, n.host, n.key_id, n.encrypted_key,
      n.idempotency_key, n.body, n.delivery_id, n.attempt_count, n.cycle, n.created_at, n.next_at`,
})

const findNewer = statement({
  name: 'find-newer-message',
  reads: { id: text() },
  text: `SELECT id FROM outbox_message WHERE merchant = :merchant AND subject = :subject AND sequence > :sequence
    ORDER BY sequence DESC LIMIT 1`,
})

const settle = statement({
  name: 'settle-message',
  text: `UPDATE outbox_message SET attempt_count = :attemptCount, claimed_until = 0, claim_token = NULL,
      state = CASE WHEN state = 'pending' THEN :state ELSE state END,
      superseded_by = CASE WHEN state = 'pending' THEN :supersededBy ELSE superseded_by END,
      settled_at = CASE WHEN state = 'pending' THEN :settledAt ELSE settled_at END,
      next_at = coalesce(:nextAt, next_at), delivery_id = coalesce(:deliveryId, delivery_id),
        cycle = coalesce(:cycle, cycle)
    WHERE merchant = :merchant AND id = :id AND claim_token = :claimToken`,
})

const unclaim = statement({
  name: 'unclaim-message',
  text: `UPDATE outbox_message SET claimed_until = 0, claim_token = NULL WHERE merchant = :merchant AND id = :id
    AND claim_token = :claimToken`,
})

const extend = statement({
  name: 'extend-message-claim',
  text: `UPDATE outbox_message SET claimed_until = :until WHERE merchant = :merchant AND id = :id
    AND claim_token = :claimToken`,
})

const freeClaims = statement({
  name: 'free-messages-of',
  isPlannedAnew: true,
  text: `UPDATE outbox_message SET claimed_until = 0, claim_token = NULL
    WHERE state = 'pending' AND next_at + 0 <= :now AND claimed_until > :now
      AND split_part(claim_token, ':', 1) = ANY(:holders::text[])
    RETURNING merchant`,
})

const record = statement({
  name: 'record-delivery-attempt',
  writes: attemptTable,
  text: `INSERT INTO delivery_attempt (merchant, exchange, ${columnsOf(attemptTable)})
    VALUES (:merchant, :exchange, ${placesOf(attemptTable)})`,
})
