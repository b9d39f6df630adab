import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import type { NoticeState } from './notice.ts'

/** A notice and every attempt to deliver it, as a merchant may see it. */
export type Delivery = {
  /** The notice's. */
  readonly id: string
  readonly subject: string
  readonly url: string
  readonly idempotencyKey: string
  readonly sequence: bigint
  readonly state: NoticeState
  /** The newer notice that is sent instead. */
  readonly supersededBy: string | undefined
  readonly createdAt: UnixMs
  readonly settledAt: UnixMs | undefined
  /** When it is tried next; `undefined` once it is settled. */
  readonly nextAt: UnixMs | undefined
  readonly attempts: readonly DeliveryAttempt[]
}

/** One attempt to deliver a notice. */
export type DeliveryAttempt = {
  readonly attempt: number
  readonly deliveryId: string
  readonly startedAt: UnixMs
  readonly durationMs: number
  /** The receiver's HTTP status; `undefined` where no answer came, and `fault` says why. */
  readonly status: number | undefined
  readonly fault: string | undefined
}

/** Which deliveries of a merchant to list, and after which one. */
export type DeliveryQuery = {
  readonly subject?: string | undefined
  readonly state?: NoticeState | undefined
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined
  readonly limit: number
}

/** Everything sent about a subject to its merchant, oldest first; at most 200 notices. */
export async function listDeliveries(
  needs: { db: Database },
  merchant: Wallet,
  subject: string,
): Promise<Delivery[]> {
  return withAttempts(needs.db, merchant, await needs.db.rows<NoticeRow>(listNotices, [merchant, subject]))
}

/** A merchant's deliveries, newest first. */
export async function listNewestDeliveries(
  needs: { db: Database },
  merchant: Wallet,
  query: DeliveryQuery,
): Promise<Delivery[]> {
  const { subject, state, after, limit } = query
  const rows = await needs.db.rows<NoticeRow>(listNewest, [
    merchant,
    subject ?? null,
    state ?? null,
    after?.createdAt ?? null,
    after?.id ?? null,
    limit,
  ])
  return withAttempts(needs.db, merchant, rows)
}

/** One delivery of a merchant. */
export async function findDelivery(
  needs: { db: Database },
  merchant: Wallet,
  noticeId: string,
): Promise<Delivery | undefined> {
  const rows = await needs.db.rows<NoticeRow>(findNotice, [merchant, noticeId])
  return (await withAttempts(needs.db, merchant, rows))[0]
}

async function withAttempts(db: Database, merchant: Wallet, notices: NoticeRow[]): Promise<Delivery[]> {
  const ids = notices.map((notice) => notice.id)
  const attempts = ids.length > 0 ? await db.rows<AttemptRow>(listAttempts, [merchant, ids]) : []
  const byNotice = Map.groupBy(attempts, (attempt) => attempt.notice_id)
  return notices.map((notice) => fromRows(notice, byNotice.get(notice.id) ?? []))
}

function fromRows(notice: NoticeRow, attempts: readonly AttemptRow[]): Delivery {
  return {
    id: notice.id,
    subject: notice.subject,
    url: notice.url,
    idempotencyKey: notice.idempotency_key,
    sequence: notice.sequence,
    state: notice.state,
    supersededBy: notice.superseded_by ?? undefined,
    createdAt: Number(notice.created_at) as UnixMs,
    settledAt: notice.settled_at === null ? undefined : (Number(notice.settled_at) as UnixMs),
    nextAt: notice.state === 'pending' ? (Number(notice.next_at) as UnixMs) : undefined,
    attempts: attempts.map((row) => ({
      attempt: Number(row.attempt),
      deliveryId: row.delivery_id,
      startedAt: Number(row.started_at) as UnixMs,
      durationMs: Number(row.duration_ms),
      status: row.status === null ? undefined : Number(row.status),
      fault: row.fault ?? undefined,
    })),
  }
}

type NoticeRow = {
  id: string
  subject: string
  url: string
  idempotency_key: string
  sequence: bigint
  state: NoticeState
  superseded_by: string | null
  created_at: bigint
  settled_at: bigint | null
  next_at: bigint
}

type AttemptRow = {
  notice_id: string
  attempt: bigint
  delivery_id: string
  started_at: bigint
  duration_ms: bigint
  status: bigint | null
  fault: string | null
}

const shown =
  'id, subject, url, idempotency_key, sequence, state, superseded_by, created_at, settled_at, next_at'

const listNotices = {
  name: 'list-notices',
  text: `SELECT ${shown} FROM notice WHERE merchant = $1 AND subject = $2 ORDER BY sequence, created_at LIMIT 200`,
}

const listNewest = {
  name: 'list-newest-notices',
  text: `SELECT ${shown} FROM notice
    WHERE merchant = $1 AND ($2::text IS NULL OR subject = $2) AND ($3::text IS NULL OR state = $3)
      AND ($4::int8 IS NULL OR (created_at, id) < ($4, $5::text))
    ORDER BY created_at DESC, id DESC LIMIT $6`,
}

const findNotice = {
  name: 'find-notice',
  text: `SELECT ${shown} FROM notice WHERE merchant = $1 AND id = $2`,
}

const listAttempts = {
  name: 'list-delivery-attempts',
  text: `SELECT notice_id, attempt, delivery_id, started_at, duration_ms, status, fault
    FROM delivery_attempt WHERE merchant = $1 AND notice_id = ANY($2::text[]) ORDER BY notice_id, attempt`,
}
