import type { Database } from '../database/database.ts'
import { longStatementLimitMs } from '../database/limits.ts'

/** Notes that a record of a journal is done, in the transaction that does it; `false` where it was before. */
export async function markApplied(tx: Database, id: string, at: number): Promise<boolean> {
  return (await tx.run(mark, [id, at])) > 0
}

/** Forgets notes of before a time: their records are long gone from every journal. */
export async function forgetApplied(db: Database, before: number): Promise<void> {
  await db.run(forget, [before])
}

const mark = {
  name: 'mark-spool-applied',
  text: 'INSERT INTO spool_applied (id, applied_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
}

const forget = {
  name: 'forget-spool-applied',
  limitMs: longStatementLimitMs,
  text: 'DELETE FROM spool_applied WHERE applied_at < $1',
}
