import type { Database } from '../../../src/platform/database/database.ts'
import { holdTransaction } from '../database/hold-transaction.ts'

/** Holds the rows of merchants' notices, as a step of the watcher does that supersedes them, until they are let go of. */
export function holdRows(db: Database, merchants: readonly { readonly wallet: string }[]) {
  const text = 'UPDATE notice SET cycle = cycle WHERE merchant = ANY($1)'
  return holdTransaction(db, text, [merchants.map(({ wallet }) => wallet)])
}
