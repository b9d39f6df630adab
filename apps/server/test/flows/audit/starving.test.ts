import { expect, onTestFinished, test } from 'vitest'
import { makeLog } from '../../../src/platform/log.ts'
import { keepTalliesJob } from '../../../src/receipts/counting/keep-tallies.ts'
import { makeKeepFeedJob } from '../../../src/webhooks/feed/keep-feed.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { TestClock } from '../../support/test-clock.ts'

const dayMs = 86_400_000
const log = makeLog('silent')

async function open() {
  const database = await makeTestDatabase()
  onTestFinished(() => database.drop())
  const run = (text: string) => database.pool.run({ name: '', text })
  const rows = <Row extends object>(text: string) => database.pool.rows<Row>({ name: '', text })
  return { db: database.pool, run, rows, clock: new TestClock() }
}

test('old events of every merchant are dropped, however many merchants have some each hour', async () => {
  const { db, run, rows, clock } = await open()
  const hours = 8
  // Each merchant has had one event an hour for as long as the feed keeps them, and the first of them fall due now.
  const first = clock.now() - 30 * dayMs - 3_600_000
  await run(`INSERT INTO event (merchant, subject, idempotency_key, body, created_at, number, previous_hash, hash)
    SELECT 'm' || lpad(m::text, 4, '0'), 'r', 'k' || h, '{}', ${first} + h::bigint * 3600000, h, '', ''
    FROM generate_series(1, 500) AS m, generate_series(1, 24) AS h`)
  const job = makeKeepFeedJob({ db, clock, log })
  for (let hour = 0; hour < hours; hour++) {
    clock.jumpTo(clock.now() + 3_600_000)
    await job.run(new AbortController().signal)
  }
  const kept = await rows<{ merchants: bigint; oldest: bigint }>(
    `SELECT count(DISTINCT merchant) AS merchants, min(created_at) AS oldest FROM event
      WHERE created_at < ${clock.now() - 30 * dayMs - 2 * 3_600_000}`,
  )
  expect(kept[0]?.merchants, 'merchants with events that are two hours overdue').toBe(0n)
})

test('notes of every merchant are folded, however busy the others are', async () => {
  const { db, run, rows, clock } = await open()
  const note = (from: number, to: number) =>
    run(`INSERT INTO receipt_tally_change (merchant, quarter, currency, status, receipts, total_cents, native_cents,
        fee_cents, refunded_cents)
      SELECT 'm' || lpad(m::text, 4, '0'), 0, 'USD', 'pending', 1, 1, 1, 0, 0 FROM generate_series(${from}, ${to}) AS m`)
  await note(1, 260)
  const job = keepTalliesJob({ db, clock, log })
  for (let round = 0; round < 10; round++) {
    await job.run(new AbortController().signal)
    await note(1, 210)
  }
  const [left] = await rows<{ count: bigint }>(
    "SELECT count(*) FROM receipt_tally_change WHERE merchant > 'm0210'",
  )
  expect(left?.count, 'notes of the other merchants after ten rounds').toBe(0n)
})
