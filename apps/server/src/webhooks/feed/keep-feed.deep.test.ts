import { eventLifeMs } from '@sluice/protocol/api/events.ts'
import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../../platform/log.ts'
import { makeKeepFeedJob } from './keep-feed.ts'

const database = perFile(makeTestDatabase)
const hourMs = 3_600_000
const merchants = 450

test('feeds of however many merchants lose what is older than 30 days, each within an hour', async () => {
  const clock = new TestClock()
  const start = clock.now()
  await database.pool.run({
    name: '',
    text: `INSERT INTO event (merchant, subject, idempotency_key, body, created_at, number, previous_hash, hash)
      SELECT 'm' || m, 'R', 'k', '{}', ${start - eventLifeMs} + h * ${hourMs}, h + 3, 'a', 'b'
      FROM generate_series(1, ${merchants}) AS m, generate_series(-2, 3) AS h`,
  })
  const job = makeKeepFeedJob({ db: database.pool, clock, log: makeLog('silent') })
  const kept = async () => {
    while ((await job.run(new AbortController().signal)) === 'again');
    const row = await database.pool.row<{ count: number; oldest: bigint }>({
      name: '',
      text: 'SELECT count(*)::int4 AS count, min(created_at) AS oldest FROM event',
    })
    return { count: row?.count, oldest: Number(row?.oldest) - (start - eventLifeMs) }
  }
  expect(await kept()).toEqual({ count: 4 * merchants, oldest: 0 })
  await clock.advance(hourMs)
  expect(await kept()).toEqual({ count: 3 * merchants, oldest: hourMs })
})
