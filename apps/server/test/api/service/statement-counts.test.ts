import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../../../scripts/source/list-files.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { euroBody, receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'

const sent: string[] = []
const api = perFile(() => startApi({ between: countStatements }))
const merchant = perFile(() => api.addMerchant({ name: 'Counted' }))

/** Counts every round trip to PostgreSQL, including the start and the end of a transaction. */
function countStatements(db: Database): Database {
  const counted = wrapDatabase(db, ({ name }, run) => {
    sent.push(name)
    return run()
  })
  const transaction: Database['transaction'] = (work) => {
    sent.push('BEGIN', 'COMMIT')
    return counted.transaction(work)
  }
  return { ...counted, transaction }
}

let count = 0
const newId = () => `counted-${++count}`
const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api.call(method, path, { key: merchant.key, headers, ...(body && { body }) })
const known = 'counted-known'
const makeKnown = () => ask('POST', '/api/receipts', receiptBody(known))

/** Requests by their names in the table in docs/performance.md. */
const requests: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
  'POST /api/receipts': () => ask('POST', '/api/receipts', receiptBody(newId())),
  'POST /api/receipts, in euros': () => ask('POST', '/api/receipts', euroBody(newId())),
  'POST /api/receipts, the same again': makeKnown,
  'POST /api/receipts, with an Idempotency-Key': () =>
    ask('POST', '/api/receipts', receiptBody(newId()), { 'idempotency-key': newId() }),
  'POST /api/receipts, with the Idempotency-Key of before': () =>
    ask('POST', '/api/receipts', receiptBody('counted-again'), { 'idempotency-key': 'again' }),
  'GET /api/receipts/{id}': () => ask('GET', `/api/receipts/${known}`),
  'GET /api/receipts': () => ask('GET', '/api/receipts'),
  'GET /api/receipts?status=pending': () => ask('GET', '/api/receipts?status=pending'),
  'GET /api/receipts/status': () => ask('GET', `/api/receipts/status?receiptId=${known}`),
  'GET /api/receipts/{id}/timeline': () => ask('GET', `/api/receipts/${known}/timeline`),
  'GET /api/receipts/summary': () => ask('GET', '/api/receipts/summary'),
  'GET /api/events': () => ask('GET', '/api/events'),
  'GET /api/inventory': () => ask('GET', '/api/inventory'),
  'GET /api/shop/config': () => ask('GET', '/api/shop/config'),
}

test('each request sends as many statements as docs/performance.md says, once its caller is known', async () => {
  await makeKnown()
  const counts: Record<string, number> = {}
  for (const [name, request] of Object.entries(requests)) {
    await request()
    sent.length = 0
    expect((await request()).status).toBeLessThan(300)
    counts[name] = sent.length
  }
  const text = readFileSync(join(repositoryRoot, 'docs/performance.md'), 'utf8')
  const rows = [...text.matchAll(/^\| `([^`]+)`(.*?) \| (\d+) \|$/gm)]
  expect(Object.fromEntries(rows.map(([, path, more, each]) => [`${path}${more}`, Number(each)]))).toEqual(
    counts,
  )
})
