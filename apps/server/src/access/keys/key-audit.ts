import type { Clock } from '../../kernel/clock.ts'
import { text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { appendAudit } from '../audit/append-audit.ts'
import { type AuditEntry, keyedHashPrefix } from '../audit/audit-entry.ts'

const batchSize = 100

/**
 * The job that puts a keyed entry on each chain that has none: chains of releases before entries were keyed. From
 * then on what stands below it cannot be changed either.
 */
export function makeKeyAuditJob(needs: { db: Database; clock: Clock; secrets: Secrets }): Job {
  const { db, clock } = needs
  return {
    name: jobNames.keyAuditChains,
    everyMs: 60 * 60_000,
    async run() {
      const chains = await db.rows(list({ current: `${keyedHashPrefix}%`, batchSize }))
      for (const { merchant } of chains)
        await db.transaction((tx) =>
          appendAudit(
            { ...needs, tx },
            { merchant, at: clock.now(), actor: 'system', action: 'audit.keyed', subject: merchant },
          ),
        )
      return chains.length === batchSize ? 'again' : 'done'
    },
  }
}

const list = statement({
  name: 'list-unkeyed-audit-chains',
  reads: { merchant: text<AuditEntry['merchant']>() },
  text: 'SELECT merchant FROM audit_head WHERE sequence > 0 AND hash NOT LIKE :current ORDER BY merchant LIMIT :batchSize',
})
