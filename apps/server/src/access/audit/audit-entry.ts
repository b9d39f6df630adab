import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, optional, text, time } from '../../platform/database/columns.ts'
import { table } from '../../platform/database/table.ts'
import type { Secrets } from '../../platform/secrets.ts'

export type AuditAct = {
  /** `platform` for an act that concerns no merchant. */
  readonly merchant: Wallet | 'platform'
  readonly at: UnixMs
  /** A wallet, `subscription:<id>`, `system`, or `nobody` if the caller is unauthenticated. */
  readonly actor: string
  /** `<noun>.<past participle>`, such as `subscription.created`. */
  readonly action: string
  /** Id or wallet of the object that the act changed. */
  readonly subject: string
  /** Never contains a secret. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly correlationId?: string | undefined
}

export type AuditEntry = Omit<AuditAct, 'details' | 'correlationId'> & {
  /** Increases by 1 from 1, without gaps. */
  readonly sequence: bigint
  /** JSON text that the hash covers. */
  readonly details: string
  readonly correlationId: string | undefined
  /** Hash of the previous entry, or empty for the first. */
  readonly previousHash: string
  readonly hash: string
}

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

const keyedHashPrefix = 'k1.'

/**
 * Returns the hash of an entry: `k1.` and the HMAC-SHA256, in hex, of its fields and the previous hash.
 *
 * A changed, deleted or inserted entry invalidates all later hashes. They cannot be recomputed without the
 * master key, which is not in the database.
 */
export function hashAuditEntry(secrets: Secrets, entry: Omit<AuditEntry, 'hash'>): string {
  return keyedHashPrefix + secrets.mac('audit log', textOf(entry))
}

/** Also accepts the former master key while it is configured. */
function hasRightKey(secrets: Secrets, entry: AuditEntry): boolean {
  if (!entry.hash.startsWith(keyedHashPrefix)) return false
  return secrets.isMac('audit log', textOf(entry), entry.hash.slice(keyedHashPrefix.length))
}

function textOf(entry: Omit<AuditEntry, 'hash'>): string {
  const { merchant, sequence, at, actor, action, subject, details, correlationId, previousHash } = entry
  const fields = [
    merchant,
    Number(sequence),
    at,
    actor,
    action,
    subject,
    details,
    correlationId ?? null,
    previousHash,
  ]
  return JSON.stringify(fields)
}

/**
 * Returns the error of an entry that follows `before` (or of the first entry), or `undefined` if the entry is
 * valid.
 */
export function errorOfEntry(
  secrets: Secrets,
  entry: AuditEntry,
  before: Pick<AuditEntry, 'sequence' | 'hash'> | undefined,
): string | undefined {
  if (entry.sequence !== (before?.sequence ?? 0n) + 1n) return 'does not follow the previous entry'
  if (entry.previousHash !== (before?.hash ?? '')) return 'does not carry the hash of the previous entry'
  return hasRightKey(secrets, entry) ? undefined : 'was changed'
}
