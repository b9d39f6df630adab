import { createHash } from 'node:crypto'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** What is written into the audit log. */
export type AuditAct = {
  /** `platform` for what concerns no merchant. */
  readonly merchant: Wallet | 'platform'
  readonly at: UnixMs
  /** A wallet, `subscription:<id>` or `system`. */
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
  /** Counts from 1 without a gap. */
  readonly sequence: bigint
  /** JSON, as it was hashed. */
  readonly details: string
  readonly correlationId: string | undefined
  /** Of the entry before; empty for the first. */
  readonly previousHash: string
  readonly hash: string
}

/**
 * The hash of an entry: SHA-256, in hex, of a JSON array of its fields and the previous entry's hash. Whoever
 * changes, drops or inserts an entry has to change every later hash too.
 */
export function hashAuditEntry(entry: Omit<AuditEntry, 'hash'>): string {
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
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** The first entry of `entries`, oldest first, that does not follow from the one before it. */
export function findBrokenEntry(entries: readonly AuditEntry[]): AuditEntry | undefined {
  return entries.find((entry, i) => {
    const before = entries[i - 1]
    const follows = !before || (entry.sequence === before.sequence + 1n && entry.previousHash === before.hash)
    return !follows || hashAuditEntry(entry) !== entry.hash
  })
}
