import { expect, test } from 'vitest'
import { takeOverFrom } from '../../../src/app/take-over.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { isDatastoreOutage } from '../../../src/platform/database/degraded.ts'
import { claimLease, listHeldLeases } from '../../../src/platform/jobs/lease.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { isOnCluster } from '../../support/database/on-cluster.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'

const database = perFile(makeTestDatabase)

test.skipIf(!isOnCluster)(
  'what a killed process was alone in doing is free at the next start, also while a worker of the cluster is away',
  async () => {
    const db = database.pool
    expect(await claimLease(db, 'sender:test', 'killed', 60_000)).toBeDefined()
    // Where no worker listens; for this database alone.
    await db.run({ name: '', text: 'UPDATE pg_dist_node SET nodeport = groupid WHERE groupid <> 0' })
    const outage = await db.run({ name: '', text: 'SELECT count(*) FROM notice' }).catch((error) => error)
    expect(isDatastoreOutage(outage), String(outage)).toBe(true)

    await takeOverFrom({ db, clock: systemClock, log: makeLog('silent') }, ['killed'])
    expect(await listHeldLeases(db, 'sender:test')).toEqual([])
  },
)
