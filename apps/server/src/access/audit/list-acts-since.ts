import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** An act of a merchant's log: when it was done, and what else was noted of it. */
export type PastAct = { readonly at: UnixMs; readonly details: Readonly<Record<string, unknown>> }

/** What was done of one kind for a merchant after a time, in the order it was written. Reads the merchant's whole log. */
export async function listActsSince(
  db: Database,
  merchant: Wallet,
  action: string,
  since: UnixMs,
): Promise<PastAct[]> {
  const rows = await db.rows(list({ merchant, action, since }))
  return rows.map(({ at, details }) => ({ at, details: JSON.parse(details) }))
}

const list = statement({
  name: 'list-acts-since',
  reads: { at: time(), details: text() },
  text: `SELECT at, details FROM audit_entry
    WHERE merchant = :merchant AND action = :action AND at > :since ORDER BY sequence`,
})
