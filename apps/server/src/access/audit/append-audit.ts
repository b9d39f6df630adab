import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { valuesOf } from '../../platform/database/table.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type AuditAct, type AuditEntry, auditTable, hashAuditEntry } from './audit-entry.ts'

/**
 * Writes an act into the merchant's audit log, as the next link of its chain.
 *
 * Called inside the transaction of what was done, so that neither is there without the other. Acts of one
 * merchant wait for each other until their transactions end: do this last.
 */
export async function appendAudit(
  { tx, secrets }: { tx: Database; secrets: Secrets },
  act: AuditAct,
): Promise<AuditEntry> {
  const { merchant } = act
  // Whoever makes the head has it; he who comes at the same time waits for him, and then for it.
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
