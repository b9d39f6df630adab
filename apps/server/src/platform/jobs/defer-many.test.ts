import { addMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { isOnCluster } from '../../../test/support/database/on-cluster.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { listTries } from './defer.ts'

const database = perFile(makeTestDatabase)
const clock = new TestClock()

test.skipIf(isOnCluster)(
  'what is due of very many items that wait is found without reading the others',
  async () => {
    const { pool } = database
    const later = addMs(clock.now(), 3_600_000)
    await pool.run(
      {
        name: 'test-many-aside',
        text: `INSERT INTO deferred_item (job, merchant, item, kind, reason, since, tries, next_try)
        SELECT $1, 'm' || number, 'books', 'away', 'away', 0, 1, $2 FROM generate_series(1, 20000) AS number`,
      },
      ['many', later],
    )
    await pool.run({ name: 'test-analyze', text: 'ANALYZE deferred_item' })
    const count = {
      name: 'test-count-rows-read',
      text: `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 AS count FROM pg_stat_xact_user_tables WHERE relname = 'deferred_item'`,
    }
    const [before, after] = await pool.transaction(async (tx) => {
      // The connection may not have reported the statistics of its earlier reads yet.
      const before = await tx.row<{ count: bigint }>(count)
      expect(await listTries({ db: tx, clock }, 'many')).toEqual([])
      return [before, await tx.row<{ count: bigint }>(count)]
    })
    expect(after).toEqual(before ?? { count: 0n })
  },
)
