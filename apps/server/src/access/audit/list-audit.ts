import type { AuditEntryView, AuditQuery } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { numberCursor, readPage } from '../../kernel/page.ts'
import { text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import { type AuditEntry, auditTable } from './audit-entry.ts'

/**
 * Returns a page of a merchant's or the platform's audit log, newest first.
 *
 * @throws {ApiError} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listAudit(
  db: Database,
  merchant: AuditEntry['merchant'],
  query: AuditQuery,
): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  const { actor, action, subject, from, to } = query
  const asked = {
    actor,
    action,
    subject,
    from: from === undefined ? undefined : BigInt(from),
    to: to === undefined ? undefined : BigInt(to),
  }
  const { page, nextCursor } = await readPage(query, numberCursor('sequence'), (before, count) =>
    db.rows(list({ merchant, ...asked, before: before?.sequence, limit: count })),
  )
  return { entries: page, nextCursor }
}

export function viewAuditEntry(entry: AuditEntry): AuditEntryView {
  const { sequence, at, actor, action, subject, details, correlationId, previousHash, hash } = entry
  return {
    sequence: Number(sequence),
    at,
    actor,
    action,
    subject,
    details: JSON.parse(details),
    correlationId: correlationId ?? null,
    previousHash,
    hash,
  }
}

const list = statement({
  name: 'list-audit-entries',
  text: `SELECT ${columnsOf(auditTable)} FROM audit_entry
    WHERE merchant = :merchant AND (:before::bigint IS NULL OR sequence < :before)
      AND (:actor::text IS NULL OR lower(actor) = lower(:actor))
      AND (:action::text IS NULL OR action = :action OR starts_with(action, :action || '.'))
      AND (:subject::text IS NULL OR subject = :subject)
      AND (:from::int8 IS NULL OR at >= :from) AND (:to::int8 IS NULL OR at < :to)
    ORDER BY sequence DESC LIMIT :limit`,
  reads: auditTable,
})

export type PastAct = { readonly at: UnixMs; readonly details: Readonly<Record<string, unknown>> }

/** Lists the merchant's acts of one kind after `since`, oldest first. Reads the merchant's whole log. */
export async function listActsSince(
  db: Database,
  merchant: Wallet,
  action: string,
  since: UnixMs,
): Promise<PastAct[]> {
  const rows = await db.rows(listSince({ merchant, action, since }))
  return rows.map(({ at, details }) => ({ at, details: JSON.parse(details) }))
}

const listSince = statement({
  name: 'list-acts-since',
  reads: { at: time(), details: text() },
  text: `SELECT at, details FROM audit_entry
    WHERE merchant = :merchant AND action = :action AND at > :since ORDER BY sequence`,
})
