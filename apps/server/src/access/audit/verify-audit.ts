import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { AuditAnchor } from './anchor-audit.ts'
import { type AuditEntry, auditTable, errorOfEntry } from './audit-entry.ts'

const pageSize = 500
const errorsShown = 20

/** Result for one chain. The chain is valid if `faults` is empty. */
export type ChainFinding = {
  readonly merchant: string
  readonly entryCount: number
  readonly head: string
  readonly errors: readonly string[]
}

/**
 * Verifies all audit chains, or one merchant's, from the first entry.
 *
 * @param options.anchors - Heads from the service's log. Without them, entries removed from the end are not
 * detected.
 */
export async function* verifyAudit(
  needs: { db: Database; secrets: Secrets },
  options: { merchant?: string | undefined; anchors?: readonly AuditAnchor[] | undefined },
): AsyncGenerator<ChainFinding> {
  const anchors = Map.groupBy(options.anchors ?? [], ({ merchant }) => merchant)
  const seen = new Set<string>()
  for await (const merchant of chainsOf(needs.db, options.merchant)) {
    seen.add(merchant)
    yield await verifyChain(needs, merchant, anchors.get(merchant) ?? [])
  }
  for (const merchant of anchors.keys()) {
    const isAsked = options.merchant === undefined || options.merchant === merchant
    if (isAsked && !seen.has(merchant))
      yield {
        merchant,
        entryCount: 0,
        head: '',
        errors: ['the log contains this chain, but the database does not'],
      }
  }
}

async function verifyChain(
  { db, secrets }: { db: Database; secrets: Secrets },
  merchant: string,
  anchors: readonly AuditAnchor[],
): Promise<ChainFinding> {
  const errors: string[] = []
  const error = (text: string) => void (errors.length < errorsShown && errors.push(text))
  // The head is read first, so that later entries are excluded.
  const head = await db.row(findHead({ merchant }))
  const expected = Map.groupBy(anchors, ({ sequence }) => sequence)
  let last: AuditEntry | undefined
  let entryCount = 0
  for await (const entry of entriesOf(db, merchant, head?.sequence)) {
    const wrong = errorOfEntry(secrets, entry, last)
    if (wrong) error(`entry ${entry.sequence} ${wrong}`)
    for (const { hash } of expected.get(Number(entry.sequence)) ?? [])
      if (hash !== entry.hash) error(`entry ${entry.sequence} differs from its copy in the log`)
    last = entry
    entryCount += 1
  }
  const end = Number(last?.sequence ?? 0)
  if (!head) error('has no head')
  else if (head.sequence !== BigInt(end) || head.hash !== (last?.hash ?? ''))
    error('its head does not match its last entry')
  const lost = anchors.filter(({ sequence }) => sequence > end).map(({ sequence }) => sequence)
  if (lost.length > 0)
    error(`the log contains entries up to ${Math.max(...lost)}, but the last one here is ${end}`)
  return { merchant, entryCount, head: last?.hash ?? '', errors }
}

async function* chainsOf(db: Database, only: string | undefined): AsyncGenerator<string> {
  if (only !== undefined) return yield only
  for (let after = ''; ; ) {
    const rows = await db.rows(listChains({ after, pageSize }))
    for (const { merchant } of rows) yield merchant
    if (rows.length < pageSize) return
    after = rows.at(-1)?.merchant ?? after
  }
}

async function* entriesOf(
  db: Database,
  merchant: string,
  upTo: bigint | undefined,
): AsyncGenerator<AuditEntry> {
  for (let after = 0n; ; ) {
    const rows = await db.rows(listEntries({ merchant, after, upTo, pageSize }))
    yield* rows
    if (rows.length < pageSize) return
    after = rows.at(-1)?.sequence ?? after
  }
}

const findHead = statement({
  name: 'find-audit-head',
  reads: { sequence: int8(), hash: text() },
  text: 'SELECT sequence, hash FROM audit_head WHERE merchant = :merchant',
})

const listChains = statement({
  name: 'list-audit-chains',
  reads: { merchant: text() },
  text: `SELECT merchant FROM (
      SELECT merchant FROM audit_head UNION SELECT merchant FROM audit_entry WHERE sequence = 1) AS chain
    WHERE merchant > :after ORDER BY merchant LIMIT :pageSize`,
})

const listEntries = statement({
  name: 'list-audit-chain',
  text: `SELECT ${columnsOf(auditTable)} FROM audit_entry
    WHERE merchant = :merchant AND sequence > :after AND (:upTo::bigint IS NULL OR sequence <= :upTo)
    ORDER BY sequence LIMIT :pageSize`,
  reads: auditTable,
})
