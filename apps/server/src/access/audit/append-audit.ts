import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { valuesOf } from '../../platform/database/table.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type AuditAct, type AuditEntry, auditTable, hashAuditEntry } from './audit-entry.ts'

/**
 * Appends an act to the merchant's audit chain.
 *
 * Call it in the act's transaction, so that both commit or neither. It locks the chain until the transaction
 * ends: call it last.
 */
export async function appendAudit(
  { tx, secrets }: { tx: Database; secrets: Secrets },
  act: AuditAct,
): Promise<AuditEntry> {
  const { merchant } = act
  // The transaction that inserts the head row holds its lock. A concurrent transaction waits for that commit,
  // then locks the row.
  const head =
    (await tx.row(lockHead({ merchant }))) ??
    (await tx.row(makeHead({ merchant }))) ??
    (await tx.row(lockHead({ merchant })))
  const unhashed = {
    ...act,
    sequence: (head?.sequence ?? 0n) + 1n,
    details: JSON.stringify(act.details ?? {}),
    correlationId: act.correlationId,
    previousHash: head?.hash ?? '',
  }
  const entry = { ...unhashed, hash: hashAuditEntry(secrets, unhashed) }
  await tx.run(insert(entry))
  return entry
}

const headColumns = { sequence: int8(), hash: text() }

const makeHead = statement({
  name: 'make-audit-head',
  reads: headColumns,
  text: `INSERT INTO audit_head (merchant, sequence, hash) VALUES (:merchant, 0, '')
    ON CONFLICT (merchant) DO NOTHING RETURNING sequence, hash`,
})

const lockHead = statement({
  name: 'lock-audit-head',
  reads: headColumns,
  text: 'SELECT sequence, hash FROM audit_head WHERE merchant = :merchant FOR UPDATE',
})

const insert = statement({
  name: 'insert-audit-entry',
  writes: auditTable,
  text: `WITH added AS (INSERT INTO audit_entry ${valuesOf(auditTable)})
    UPDATE audit_head SET sequence = :sequence, hash = :hash WHERE merchant = :merchant`,
})
