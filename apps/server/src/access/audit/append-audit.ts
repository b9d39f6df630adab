import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type AuditAct, type AuditEntry, hashAuditEntry } from './audit-entry.ts'

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
  await tx.run(ensureHead, [merchant])
  const head = await tx.row<{ sequence: bigint; hash: string }>(lockHead, [merchant])
  const unhashed = {
    ...act,
    sequence: (head?.sequence ?? 0n) + 1n,
    details: JSON.stringify(act.details ?? {}),
    correlationId: act.correlationId,
    previousHash: head?.hash ?? '',
  }
  const entry = { ...unhashed, hash: hashAuditEntry(secrets, unhashed) }
  await tx.run(insert, [
    merchant,
    entry.sequence,
    entry.at,
    entry.actor,
    entry.action,
    entry.subject,
    entry.details,
    entry.correlationId ?? null,
    entry.previousHash,
    entry.hash,
  ])
  await tx.run(moveHead, [merchant, entry.sequence, entry.hash])
  return entry
}

const ensureHead = {
  name: 'ensure-audit-head',
  text: `INSERT INTO audit_head (merchant, sequence, hash) VALUES ($1, 0, '') ON CONFLICT (merchant) DO NOTHING`,
}

const lockHead = {
  name: 'lock-audit-head',
  text: 'SELECT sequence, hash FROM audit_head WHERE merchant = $1 FOR UPDATE',
}

const insert = {
  name: 'insert-audit-entry',
  text: `INSERT INTO audit_entry
    (merchant, sequence, at, actor, action, subject, details, correlation_id, previous_hash, hash)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
}

const moveHead = {
  name: 'move-audit-head',
  text: 'UPDATE audit_head SET sequence = $2, hash = $3 WHERE merchant = $1',
}
