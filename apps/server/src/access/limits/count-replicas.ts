import type { Database } from '../../platform/database/database.ts'
import { claimLease, listHeldLeases, pruneLeases } from '../../platform/jobs/lease.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import type { Job } from '../../platform/jobs/ticker.ts'
import type { RateLimits } from './rate-limits.ts'

const prefix = 'replica/'
const leaseMs = 15_000
const everyMs = 5_000

/** The job that tells the rate limits whether this process is alone on its database. */
export function makeCountReplicasJob(needs: { db: Database; holder: string; limits: RateLimits }): Job {
  const { db, holder, limits } = needs
  let isFirst = true
  return {
    name: jobNames.countReplicas,
    everyMs,
    async run() {
      if (isFirst) await pruneLeases(db, prefix)
      isFirst = false
      await claimLease(db, prefix + holder, holder, leaseMs)
      const replicas = await listHeldLeases(db, prefix)
      limits.share(replicas.length > 1)
      return 'done'
    },
  }
}
