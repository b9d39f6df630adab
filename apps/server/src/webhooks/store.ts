import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Database } from '../platform/database/database.ts'
import { allLanes } from './lane.ts'
import type { Attempt, ClaimedNotice, DueNotice } from './notice.ts'

/** What an attempt, or the lack of need for one, makes of a claimed notice. */
export type NoticeChange = { readonly attemptCount: number } & (
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
 * Due notices of `lanes` that nobody is sending: of each merchant the first few, and first places
 * first, so that a long queue of one cannot hide the others.
 */
export async function listDueNotices(
  db: Database,
  query: {
    lanes: readonly number[]
    now: UnixMs
    full: { merchants: readonly string[]; hosts: readonly string[] }
    perMerchant: number
    limit: number
  },
): Promise<DueNotice[]> {
  const rows = await db.rows<{ merchant: string; id: string; host: string; next_at: bigint; place: bigint }>(
    listDue,
    [query.lanes, query.now, query.full.merchants, query.full.hosts, query.perMerchant, query.limit],
  )
  return rows.map((row) => ({
    merchant: row.merchant,
    id: row.id,
    host: row.host,
    nextAt: Number(row.next_at) as UnixMs,
    place: Number(row.place),
  }))
}

/**
 * Claims those of `due` that are still due and free, for this process alone until `until`. The token begins with
 * the name of its holder and a colon.
 */
export async function claimNotices(
  db: Database,
  due: readonly DueNotice[],
  claim: { now: UnixMs; until: UnixMs; token: string },
): Promise<ClaimedNotice[]> {
  const merchants = [...new Set(due.map((notice) => notice.merchant))]
  const ids = due.map((notice) => notice.id)
  const rows = await db.rows<ClaimedRow>(claimDue, [merchants, ids, claim.now, claim.until, claim.token])
  return rows.map((row) => ({
    merchant: row.merchant,
    id: row.id,
    subject: row.subject,
    sequence: row.sequence,
    brandKey: row.brand_key,
    url: row.url,
    host: row.host,
    keyId: row.key_id,
    sealedKey: row.sealed_key,
    idempotencyKey: row.idempotency_key,
    body: row.body,
    deliveryId: row.delivery_id,
    attemptCount: Number(row.attempt_count),
    cycle: Number(row.cycle),
    createdAt: Number(row.created_at) as UnixMs,
    dueAt: Number(row.next_at) as UnixMs,
    claimToken: claim.token,
  }))
}

/** When the next notice of `lanes` falls due after `after` and up to `until`. */
export async function findNextDue(
  db: Database,
  lanes: readonly number[],
  after: UnixMs,
  until: UnixMs,
): Promise<UnixMs | undefined> {
  const row = await db.row<{ next_at: bigint }>(findNext, [lanes, after, until])
  return row && (Number(row.next_at) as UnixMs)
}

/** The newest notice of the same subject that is newer than this one. */
export async function findNewerNotice(db: Database, notice: ClaimedNotice): Promise<string | undefined> {
  const row = await db.row<{ id: string }>(findNewer, [notice.merchant, notice.subject, notice.sequence])
  return row?.id
}

/** Changes a notice and ends its claim; `false` where the claim is no longer this one. A settled state stays. */
export async function settleNotice(
  tx: Database,
  notice: ClaimedNotice,
  change: NoticeChange,
): Promise<boolean> {
  const isPending = change.state === 'pending'
  const count = await tx.run(settle, [
    notice.merchant,
    notice.id,
    notice.claimToken,
    change.attemptCount,
    change.state,
    change.state === 'superseded' ? change.by : null,
    isPending ? null : change.at,
    isPending ? change.nextAt : null,
    isPending ? change.deliveryId : null,
    isPending ? change.cycle : null,
  ])
  return count > 0
}

/** Gives a claimed notice back as it was: due, and free for anyone. */
export async function unclaimNotice(db: Database, notice: ClaimedNotice): Promise<void> {
  await db.run(unclaim, [notice.merchant, notice.id, notice.claimToken])
}

/** Keeps a claimed notice from everybody until then: it cannot be sent, or not be written down. */
export async function extendClaim(db: Database, notice: ClaimedNotice, until: UnixMs): Promise<void> {
  await db.run(extend, [notice.merchant, notice.id, notice.claimToken, until])
}

/** Gives back what dead processes have claimed; how many notices. */
export function freeClaimsOf(db: Database, holders: readonly string[], now: UnixMs): Promise<number> {
  return db.run(freeClaims, [allLanes, now, holders])
}

/** Adds the attempt to the notice's log. */
export async function recordAttempt(tx: Database, notice: ClaimedNotice, attempt: Attempt): Promise<void> {
  await tx.run(record, [
    notice.merchant,
    notice.id,
    notice.attemptCount + 1,
    notice.deliveryId,
    attempt.startedAt,
    Math.max(0, attempt.endedAt - attempt.startedAt),
    attempt.status ?? null,
    attempt.fault ?? null,
  ])
}

type ClaimedRow = {
  merchant: string
  id: string
  subject: string
  sequence: bigint
  brand_key: string
  url: string
  host: string
  key_id: string
  sealed_key: string
  idempotency_key: string
  body: string
  delivery_id: string
  attempt_count: bigint
  cycle: bigint
  created_at: bigint
  next_at: bigint
}

const listDue = {
  name: 'list-due-notices',
  text: `SELECT merchant, id, host, next_at, place FROM (
      SELECT merchant, id, host, next_at, row_number() OVER (PARTITION BY merchant ORDER BY next_at, sequence) AS place
      FROM notice
      WHERE lane = ANY($1::smallint[]) AND state = 'pending' AND next_at <= $2 AND claimed_until <= $2
        AND merchant <> ALL($3::text[]) AND host <> ALL($4::text[])) AS due
    WHERE place <= $5 ORDER BY place, next_at LIMIT $6`,
}

const claimDue = {
  name: 'claim-notices',
  text: `UPDATE notice SET claimed_until = $4, claim_token = $5
    WHERE merchant = ANY($1::text[]) AND id = ANY($2::text[])
      AND state = 'pending' AND next_at <= $3 AND claimed_until <= $3
    RETURNING merchant, id, subject, sequence, brand_key, url, host, key_id, sealed_key, idempotency_key, body,
      delivery_id, attempt_count, cycle, created_at, next_at`,
}

const findNext = {
  name: 'find-next-due-notice',
  text: `SELECT merchant, next_at FROM notice
    WHERE lane = ANY($1::smallint[]) AND state = 'pending' AND next_at > $2 AND next_at <= $3
    ORDER BY next_at LIMIT 1`,
}

const findNewer = {
  name: 'find-newer-notice',
  text: `SELECT id FROM notice WHERE merchant = $1 AND subject = $2 AND sequence > $3
    ORDER BY sequence DESC LIMIT 1`,
}

const settle = {
  name: 'settle-notice',
  text: `UPDATE notice SET attempt_count = $4, claimed_until = 0, claim_token = NULL,
      state = CASE state WHEN 'pending' THEN $5 ELSE state END,
      superseded_by = CASE state WHEN 'pending' THEN $6 ELSE superseded_by END,
      settled_at = CASE state WHEN 'pending' THEN $7 ELSE settled_at END,
      next_at = coalesce($8, next_at), delivery_id = coalesce($9, delivery_id), cycle = coalesce($10, cycle)
    WHERE merchant = $1 AND id = $2 AND claim_token = $3`,
}

const unclaim = {
  name: 'unclaim-notice',
  text: `UPDATE notice SET claimed_until = 0, claim_token = NULL WHERE merchant = $1 AND id = $2 AND claim_token = $3`,
}

const extend = {
  name: 'extend-notice-claim',
  text: `UPDATE notice SET claimed_until = $4 WHERE merchant = $1 AND id = $2 AND claim_token = $3`,
}

const freeClaims = {
  name: 'free-notices-of',
  text: `UPDATE notice SET claimed_until = 0, claim_token = NULL
    WHERE lane = ANY($1::smallint[]) AND state = 'pending' AND next_at <= $2 AND claimed_until > $2
      AND split_part(claim_token, ':', 1) = ANY($3::text[])
    RETURNING merchant`,
}

const record = {
  name: 'record-delivery-attempt',
  text: `INSERT INTO delivery_attempt
      (merchant, notice_id, attempt, delivery_id, started_at, duration_ms, status, fault)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
}
