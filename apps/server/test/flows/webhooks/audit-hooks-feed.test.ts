import { expect, test } from 'vitest'
import { makeLog } from '../../../src/platform/log.ts'
import { makeKeepFeedJob } from '../../../src/webhooks/feed/keep-feed.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'

const database = perFile(makeTestDatabase)
const hour = 3_600_000
const life = 30 * 24 * hour

test('feeds of many merchants lose what is older than 30 days', async () => {
  const clock = new TestClock()
  const start = clock.now()
  // 450 merchants with one event an hour each, from 31 days ago on.
  await database.pool.run({
    name: '',
    text: `INSERT INTO event (merchant, subject, idempotency_key, body, created_at, number, previous_hash, hash)
      SELECT 'm' || lpad(m::text, 4, '0'), 'R', 'k', '{}', ${start - life - 5 * hour} + h * ${hour}, h + 1, 'a', 'b'
      FROM generate_series(1, 450) m, generate_series(0, 60) h`,
  })
  const job = makeKeepFeedJob({ db: database.pool, clock, log: makeLog('error') })
  for (let h = 0; h < 24; h++) {
    await job.run(new AbortController().signal)
    await clock.advance(hour)
  }
  const left = await database.pool.row<{ count: number; oldest: bigint }>({
    name: '',
    text: `SELECT count(DISTINCT merchant)::int AS count, min(created_at) AS oldest FROM event WHERE created_at < ${start - life}`,
  })
  console.log(left)
  expect(left?.count).toBe(0)
})
