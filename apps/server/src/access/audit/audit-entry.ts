import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, optional, text, time } from '../../platform/database/columns.ts'
import { table } from '../../platform/database/table.ts'
import type { Secrets } from '../../platform/secrets.ts'

/** What is written into the audit log. */
export type AuditAct = {
  /** `platform` for what concerns no merchant. */
  readonly merchant: Wallet | 'platform'
  readonly at: UnixMs
  /** A wallet, `subscription:<id>`, `system`, or `nobody` who has proved who he is. */
  readonly actor: string
  /** `<noun>.<what was done>`: `subscription.created`. */
  readonly action: string
  /** What it was done to: an id or a wallet. */
  readonly subject: string
  /** What else an auditor wants to know; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly correlationId?: string | undefined
}

/** An act in its place in a merchant's chain. */
export type AuditEntry = Omit<AuditAct, 'details' | 'correlationId'> & {
  /** Counts up from 1 without gaps. */
  readonly sequence: bigint
  /** JSON, as it was hashed. */
  readonly details: string
  readonly correlationId: string | undefined
  /** Of the entry before; empty for the first. */
  readonly previousHash: string
  readonly hash: string
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

/** What the hash of an entry begins with. */
const keyedHashPrefix = 'k1.'

/**
 * The hash of an entry: `k1.` and the HMAC-SHA256, in hex, of a JSON array of its fields and the previous entry's
 * hash. Whoever changes, drops or inserts an entry has to change every later hash too, and cannot without the
 * master key, which is not in the database.
 */
export function hashAuditEntry(secrets: Secrets, entry: Omit<AuditEntry, 'hash'>): string {
  return keyedHashPrefix + secrets.mac('audit log', textOf(entry))
}

/** Entries from before the master key was replaced are right under the old one, while that is given. */
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

/** What is wrong with an entry that follows `before`, the first of its chain where that is absent. */
export function faultOfEntry(
  secrets: Secrets,
  entry: AuditEntry,
  before: Pick<AuditEntry, 'sequence' | 'hash'> | undefined,
): string | undefined {
  if (entry.sequence !== (before?.sequence ?? 0n) + 1n) return 'does not follow the previous entry'
  if (entry.previousHash !== (before?.hash ?? '')) return 'does not carry the hash of the previous entry'
  return hasRightKey(secrets, entry) ? undefined : 'was changed'
}
