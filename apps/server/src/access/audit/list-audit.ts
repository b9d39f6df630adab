import type { AuditEntryView } from '@sluice/protocol/api/access.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { numberCursor, type PageQuery, readPage } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'
import type { AuditEntry } from './audit-entry.ts'

/**
 * A page of a merchant's audit log, or of the platform's, newest first.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listAudit(
  db: Database,
  merchant: AuditEntry['merchant'],
  query: PageQuery,
): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  const { page, nextCursor } = await readPage(query, numberCursor('sequence'), (before, count) =>
    db.rows<EntryRow>(list, [merchant, before?.sequence ?? null, count]),
  )
  return { entries: page.map((row) => readEntry(merchant, row)), nextCursor }
}

/** An entry as the API shows it. */
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

/** An entry's row but for whose it is. */
export type EntryRow = {
  sequence: bigint
  at: bigint
  actor: string
  action: string
  subject: string
  details: string
  correlation_id: string | null
  previous_hash: string
  hash: string
}

/** The entry in a row. */
export function readEntry(merchant: AuditEntry['merchant'], row: EntryRow): AuditEntry {
  return {
    merchant,
    sequence: row.sequence,
    at: Number(row.at) as UnixMs,
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    details: row.details,
    correlationId: row.correlation_id ?? undefined,
    previousHash: row.previous_hash,
    hash: row.hash,
  }
}

const list = {
  name: 'list-audit-entries',
  text: `SELECT sequence, at, actor, action, subject, details, correlation_id, previous_hash, hash
    FROM audit_entry WHERE merchant = $1 AND ($2::bigint IS NULL OR sequence < $2)
    ORDER BY sequence DESC LIMIT $3`,
}
