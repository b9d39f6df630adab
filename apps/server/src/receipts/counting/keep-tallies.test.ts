import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { makeLog } from '../../platform/log.ts'
import { keepTalliesJob } from './keep-tallies.ts'

const database = perFile(makeTestDatabase)
const run = (text: string) => database.pool.run({ name: '', text })

test('merchants whose tallies are deferred, as many as are listed at once, keep nobody from his turn', async () => {
  const clock = new TestClock()
  await run(`INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents,
      fee_cents, refunded_cents)
    SELECT 'm' || n, 0, 'USD', 'paid', 1, 100, 0, 0, 0 FROM generate_series(1001, 1201) AS n`)
  await run(`INSERT INTO set_aside (job, merchant, item, fault, reason, since, tries, next_try)
    SELECT '${jobNames.keepTallies}', 'm' || n, 'tallies', 'other', 'broken', 0, 1, ${clock.now() + 3_600_000}
    FROM generate_series(1001, 1200) AS n`)
  const job = keepTalliesJob({ db: database.pool, clock, log: makeLog('silent') })
  const outcomes = []
  for (let round = 0; round < 3; round++) outcomes.push(await job.run(new AbortController().signal))
  expect(outcomes).toEqual(['again', 'done', 'again'])
  const left = await database.pool.rows<{ merchant: string }>({
    name: '',
    text: 'SELECT merchant FROM receipt_tally_change ORDER BY merchant DESC LIMIT 1',
  })
  expect(left).toEqual([{ merchant: 'm1200' }])
})
