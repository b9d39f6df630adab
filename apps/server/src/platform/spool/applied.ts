import type { Database } from '../database/database.ts'
import { longStatementLimitMs } from '../database/limits.ts'
import { statement } from '../database/statement.ts'

/** Notes that a record of a journal is done, in the transaction that does it; `false` where it was before. */
export async function markApplied(tx: Database, id: string, at: number): Promise<boolean> {
  return (await tx.run(mark({ id, at }))) > 0
}

/** Forgets notes of before a time: their records are long gone from every journal. */
export async function pruneApplied(db: Database, before: number): Promise<void> {
  await db.run(forget({ before }))
}

const mark = statement({
  name: 'mark-spool-applied',
  text: 'INSERT INTO spool_applied (id, applied_at) VALUES (:id, :at) ON CONFLICT DO NOTHING',
})

const forget = statement({
  name: 'forget-spool-applied',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM spool_applied WHERE applied_at < :before',
})
