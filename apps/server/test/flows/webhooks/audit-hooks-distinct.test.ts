import pg from 'pg'
import { test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { perFile } from '../../support/per-file.ts'
import { makeWebhookMerchant, oweNotice } from '../../support/webhooks/webhook-process.ts'

const database = perFile(makeTestDatabase)
test('plans', async () => {
  await oweNotice(database.pool, systemClock, makeWebhookMerchant(), { url: 'http://127.0.0.1:9/', body: JSON.stringify({ note: 'x'.repeat(900) }) })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  for (let at = 0; at < 200_000; at += 50_000)
    await client.query(`INSERT INTO notice SELECT (jsonb_populate_record(n, jsonb_build_object('id', gen_random_uuid()::text,
        'merchant', 'm' || (i % 100), 'lane', i % 64, 'state', CASE WHEN i % 2 = 0 THEN 'pending' ELSE 'delivered' END,
        'subject', 'S' || (i + $1), 'next_at', n.next_at + (i * 7919) % 80000000, 'attempt_count', 9, 'cycle', 8))).*
        FROM notice n, generate_series(1, 50000) i WHERE n.subject = 'R-1'`, [at])
  await client.query('VACUUM ANALYZE notice')
  for (const sql of ["SELECT DISTINCT merchant FROM notice WHERE state = 'pending'", "SELECT count(merchant) AS count, min(next_at) AS oldest FROM notice WHERE state = 'pending'"]) {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`)
    console.log(rows.map((r) => r['QUERY PLAN']).join('\n'))
  }
  await client.end()
}, 300_000)
