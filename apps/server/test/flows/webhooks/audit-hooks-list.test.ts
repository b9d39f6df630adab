import pg from 'pg'
import { expect, test } from 'vitest'
import { allLanes } from '../../../src/platform/jobs/lane.ts'
import { listDueDeliveries } from '../../../src/webhooks/store.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { makeWebhookMerchant, oweNotice, startWebhookProcess } from '../../support/webhooks/webhook-process.ts'
import { startWebhookReceiver } from '../../support/webhooks/webhook-receiver.ts'
import { systemClock } from '../../../src/kernel/clock.ts'

const database = perFile(makeTestDatabase)
const rows = Number(process.env.AUDIT_ROWS ?? 200_000)

test('what one merchant has waiting does not slow the lists of others', async () => {
  const clock = systemClock
  const busy = makeWebhookMerchant()
  const other = makeWebhookMerchant()
  const body = JSON.stringify({ note: 'x'.repeat(Number(process.env.AUDIT_BODY ?? 900)) })
  await oweNotice(database.pool, clock, busy, { url: 'http://127.0.0.1:9/', body })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const t0 = Date.now()
  for (let at = 0; at < rows; at += 50_000)
    await client.query(
      `INSERT INTO notice SELECT (jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid()::text,
        'subject', 'S' || (i + $1), 'next_at', n.next_at - 1000000 + i + $1, 'created_at', n.next_at - 1000000 + i + $1,
        'attempt_count', 1))).*
        FROM notice n, generate_series(1, 50000) i WHERE n.subject = 'R-1'`, [at])
  await client.query('ANALYZE notice')
  const size = (await client.query(`SELECT pg_size_pretty(pg_table_size('notice')) s`)).rows[0].s
  console.log('filled', rows, size, Date.now() - t0, 'ms')
  await oweNotice(database.pool, clock, other, { url: 'http://127.0.0.1:9/', body })
  for (const full of [[busy.wallet], []] as string[][]) {
    for (let i = 0; i < 4; i++) {
      const at = Date.now()
      const due = await listDueDeliveries(database.pool, {
        lanes: allLanes, of: [busy.wallet, other.wallet], now: clock.now(), full: { merchants: full, hosts: [] }, perMerchant: 4, limit: 4000,
      }).catch((e) => [String(e)])
      console.log('full', full.length, 'listed', due.length, Date.now() - at, 'ms')
    }
  }
  // End to end.
  await client.query('DELETE FROM notice WHERE merchant = $1', [other.wallet])
  const hanging = await startWebhookReceiver()
  hanging.behave = () => 'hang'
  const quick = await startWebhookReceiver()
  await client.query(`UPDATE notice SET url = $1, host = $2 WHERE subject = 'R-1' OR next_at < (SELECT min(next_at) + 50 FROM notice)`, [hanging.url, new URL(hanging.url).host])
  await client.end()
  const process_ = await startWebhookProcess(database)
  const late: number[] = []
  await new Promise((r) => setTimeout(r, 5_000))
  for (let i = 0; i < 20; i++) {
    const at = Date.now()
    await oweNotice(database.pool, clock, other, { url: quick.url, subject: `Q-${i}`, body })
    process_.nudge()
    const count = i + 1
    while (quick.received.length < count && Date.now() - at < 30_000) await new Promise((r) => setTimeout(r, 10))
    late.push(Date.now() - at)
  }
  console.log('latencies', late.join(' '))
  await process_.stop()
  await hanging.close()
  await quick.close()
  expect(Math.max(...late)).toBeLessThan(1000)
}, 600_000)
