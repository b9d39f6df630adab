import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'

const batchSize = 50

/**
 * Head of an audit chain as written to the service's log, outside the database. It fixes the chain up to this
 * entry.
 */
export type AuditAnchor = { readonly merchant: string; readonly sequence: number; readonly hash: string }

/**
 * Creates the job that logs the heads of changed audit chains.
 *
 * The logged heads reveal whether the database lost entries or was restored to an older state.
 */
export function makeAnchorAuditJob(needs: { db: Database; log: Log }): Job {
  const { db, log } = needs
  return {
    name: jobNames.anchorAudit,
    everyMs: 60_000,
    async run() {
      const heads = await db.rows(list({ batchSize }))
      if (heads.length === 0) return 'done'
      const auditHeads: AuditAnchor[] = heads.map((head) => ({ ...head, sequence: Number(head.sequence) }))
      // Logs the heads before it records them as logged: a crash in between logs a head twice but loses none.
      log.info({ auditHeads }, 'audit log heads')
      await db.run(mark({ each: heads }))
      return heads.length === batchSize ? 'again' : 'done'
    },
  }
}

const list = statement({
  name: 'list-unanchored-audit-heads',
  reads: { merchant: text(), sequence: int8(), hash: text() },
  text: 'SELECT merchant, sequence, hash FROM audit_head WHERE anchored < sequence ORDER BY merchant LIMIT :batchSize',
})

const mark = statement({
  name: 'mark-audit-heads-anchored',
  text: `UPDATE audit_head h SET anchored = greatest(h.anchored, logged.sequence)
    FROM unnest(:each.merchant::text[], :each.sequence::bigint[]) AS logged (merchant, sequence)
      WHERE h.merchant = logged.merchant`,
})
