import { bool } from '../database/columns.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/**
 * Whether merchants are spread over several machines: then a statement is best about one of them. It may be remembered: a
 * database becomes a cluster while its services stand still.
 */
export async function isSpread(db: Database): Promise<boolean> {
  return (await db.row(find()))?.isSpread ?? false
}

const find = statement({
  name: 'find-spread',
  reads: { isSpread: bool() },
  text: "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS is_spread",
})
