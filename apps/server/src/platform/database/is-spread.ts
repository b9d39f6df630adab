import { bool } from './columns.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

/** Whether merchants are spread over several machines: then a statement is best about one of them. */
export async function isSpread(db: Database): Promise<boolean> {
  return (await db.row(find()))?.isSpread ?? false
}

const find = statement({
  name: 'find-spread',
  reads: { isSpread: bool() },
  text: "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS is_spread",
})
