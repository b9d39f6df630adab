import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { logIn } from '../../support/asking/log-in.ts'
import { takeableDatabase } from '../../support/database/takeable-database.ts'
import { makeTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { TestClock } from '../../support/test-clock.ts'
import { startApi, type TestApi } from '../../support/worlds/start-api.ts'

async function start(database: TestDatabase, between: (db: Database) => Database = (db) => db) {
  const datastore = takeableDatabase()
  const api = await startApi({
    beside: { database, clock: new TestClock() },
    between: (db) => between(datastore.of(db)),
  })
  onTestFinished(async () => {
    datastore.isAway = false
    await api.stop()
  })
  return { api, datastore }
}
const keepPromises = (api: TestApi) =>
  api
    .job('keep-promises')
    .run(new AbortController().signal)
    .catch(() => {})

test('a session that was ended a minute before the outage accepts nothing', async () => {
  const { api, datastore } = await start(await makeTestDatabase())
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  const change = (body: object) => api.call('POST', '/api/shop/config', { session, body })
  await change({ name: 'Before' })
  expect((await api.call('POST', '/api/auth/logout', { session, body: {} })).status).toBe(200)
  await api.clock.advance(60_000)
  datastore.isAway = true
  const late = await change({ name: 'After the end' })
  datastore.isAway = false
  await keepPromises(api)
  const look = await api.call('GET', '/api/shop/config', { key: merchant.key })
  expect([late.status, look.body.config.name]).toEqual([503, 'Before'])
})

test('a key that was revoked a minute before the outage reads nothing', async () => {
  const { api, datastore } = await start(await makeTestDatabase())
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  const read = () => api.call('GET', '/api/receipts', { key: merchant.key })
  expect((await read()).status).toBe(200)
  const path = `/api/subscriptions/${merchant.subscriptionId}`
  expect((await api.call('DELETE', path, { session })).status).toBe(200)
  await api.clock.advance(60_000)
  datastore.isAway = true
  expect((await read()).status).not.toBe(200)
})
