import type { AuditEntryView } from '@sluice/protocol/api/access.ts'
import { numberCursor, type PageQuery, readPage } from '../../kernel/page.ts'
import { int8, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf, table } from '../../platform/database/table.ts'
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
    db.rows(list({ merchant, before: before?.sequence, limit: count })),
  )
  return { entries: page, nextCursor }
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

/** How an entry is stored. */
export const auditTable = table<AuditEntry>('audit_entry', {
  merchant: text(),
  sequence: int8(),
  at: time(),
  actor: text(),
  action: text(),
  subject: text(),
  details: text(),
  correlationId: optional(text()),
  previousHash: text(),
  hash: text(),
})

const list = statement({
  name: 'list-audit-entries',
  text: `SELECT ${columnsOf(auditTable)} FROM audit_entry
    WHERE merchant = :merchant AND (:before::bigint IS NULL OR sequence < :before)
    ORDER BY sequence DESC LIMIT :limit`,
  reads: auditTable,
})
