import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, onTestFinished, test } from 'vitest'
import { revokeSessions } from '../../../src/access/sessions/session-store.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { deleteMember } from '../../../src/merchants/member-store.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { NudgeListener } from '../../../src/platform/database/notify.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { cookieOf, logIn, logInAs, type TestSession } from '../../support/api/sessions.ts'
import type { TestApi, TestMerchant } from '../../support/api/start-api.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { applyJournal, startTakeableApi } from './takeable-api.ts'

const database = perFile(makeTestDatabase)

const change = (api: TestApi, session: TestSession, body: object) =>
  api.call('POST', '/api/shop/config', { session, body })
const idOf = async (api: TestApi, session: TestSession): Promise<string> => {
  const { sessions } = (await api.call('GET', '/api/auth/sessions', { session })).body
  return sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).id
}
const read = (api: TestApi, { key }: TestMerchant) => api.call('GET', '/api/receipts', { key })
const nameOf = async (api: TestApi, { key }: TestMerchant) =>
  (await api.call('GET', '/api/shop/config', { key })).body.config.name

test('a session that was ended before an outage accepts nothing, and all others go on', async () => {
  const { api, datastore } = await startTakeableApi(database)
  const merchant = await api.addMerchant()
  const [ended, other] = [await logIn(api, merchant), await logIn(api, merchant)]
  for (const session of [ended, other]) await change(api, session, { name: 'Before' })
  expect((await api.call('POST', '/api/auth/logout', { session: ended, body: {} })).status).toBe(200)
  await api.clock.advance(60_000)
  datastore.isAway = true
  expect((await change(api, ended, { name: 'After the end' })).status).toBe(503)
  expect((await change(api, other, { bio: 'kept' })).body).toMatchObject({ ok: true, degraded: true })
  datastore.isAway = false
  await applyJournal(api)
  expect(await nameOf(api, merchant)).toBe('Before')
})

test('a key that was revoked before an outage reads nothing, and all others go on', async () => {
  const { api, datastore } = await startTakeableApi(database)
  const [revoked, other] = [await api.addMerchant(), await api.addMerchant()]
  const session = await logIn(api, revoked)
  for (const merchant of [revoked, other]) expect((await read(api, merchant)).status).toBe(200)
  const path = `/api/subscriptions/${revoked.subscriptionId}`
  expect((await api.call('DELETE', path, { session })).status).toBe(200)
  await api.clock.advance(60_000)
  datastore.isAway = true
  expect((await read(api, revoked)).status).toBe(503)
  expect((await read(api, other)).body).toMatchObject({ degraded: true })
})

test('a member who was removed before an outage changes nothing', async () => {
  const { api, datastore } = await startTakeableApi(database)
  const merchant = await api.addMerchant()
  const session = await logInAs(api, merchant.wallet, 'admin')
  await change(api, session, { name: 'Before' })
  await deleteMember(api.needs.db, merchant.wallet, session.wallet)
  datastore.isAway = true
  expect((await change(api, session, { name: 'After' })).status).toBe(503)
})

test('what another process has ended is known here as soon as it says so', async () => {
  const pool = new Pool({ url: database.url, log: makeLog('silent') })
  onTestFinished(() => pool.close())
  const { api } = await startTakeableApi(database)
  const { api: other, datastore } = await startTakeableApi({ ...database, pool })
  const heard: string[] = []
  const listener = new NudgeListener({
    ...other.needs,
    url: database.url,
    clock: systemClock,
    onNudge() {},
    onChange(kind) {
      other.needs.changes.notify(kind)
      heard.push(kind)
    },
  })
  await listener.open()
  onTestFinished(() => listener.close())
  const merchant = await api.addMerchant()
  const hears = (id: string) => expect.poll(() => heard, { interval: 5 }).toContain(`ended ${id}`)
  await hears(merchant.wallet)
  const [ended, stays] = [await logIn(api, merchant), await logIn(api, merchant)]
  const id = await idOf(api, ended)
  for (const session of [ended, stays]) await change(other, session, { name: 'Before' })
  expect((await api.call('POST', '/api/auth/logout', { session: ended, body: {} })).status).toBe(200)
  await hears(id)
  datastore.isAway = true
  expect((await change(other, ended, { name: 'After the end' })).status).toBe(503)
  expect((await change(other, stays, { bio: 'kept' })).body.degraded).toBe(true)
})

test('what another process has ended while it could not be heard is good for nothing in an outage', async () => {
  const pool = new Pool({ url: database.url, log: makeLog('silent') })
  onTestFinished(() => pool.close())
  const { api } = await startTakeableApi(database)
  let lookedUp = 0
  const { api: other, datastore } = await startTakeableApi({ ...database, pool }, (db) =>
    wrapDatabase(db, async ({ name }, run) => {
      const found = await run()
      if (name === 'list-roles-of-members') lookedUp += 1
      return found
    }),
  )
  const merchant = await api.addMerchant()
  const [ended, stays] = [await logIn(api, merchant), await logIn(api, merchant)]
  for (const session of [ended, stays]) await change(other, session, { name: 'Before' })
  const listener = new NudgeListener({
    ...{ ...other.needs, log: makeLog('silent'), url: database.url, clock: systemClock, onNudge() {} },
    onHearing(isHearing) {
      other.needs.changes.hear(isHearing)
      heard.push(isHearing)
    },
  })
  const heard: boolean[] = []
  await listener.open()
  onTestFinished(() => listener.close())
  await expect.poll(() => lookedUp).toBe(1)
  const hangUp = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'sluice-listen' AND datname = current_database()`
  await pool.run({ name: '', text: hangUp })
  await expect.poll(() => heard, { interval: 5 }).toEqual([true, false])
  expect((await api.call('POST', '/api/auth/logout', { session: ended, body: {} })).status).toBe(200)
  expect(heard).toEqual([true, false])
  await expect.poll(() => lookedUp, { timeout: 10_000 }).toBe(2)
  datastore.isAway = true
  expect((await change(other, ended, { name: 'After the end' })).status).toBe(503)
  expect((await change(other, stays, { bio: 'kept' })).body.degraded).toBe(true)
})

test('of what was accepted of a session, that is dropped which came after its end, and a word of it is in the log', async () => {
  const { api, datastore } = await startTakeableApi(database)
  const merchant = await api.addMerchant()
  const [before, after] = [await logIn(api, merchant), await logIn(api, merchant)]
  for (const session of [before, after]) await change(api, session, { name: 'Before' })
  const ids = [await idOf(api, before), await idOf(api, after)]
  datastore.isAway = true
  for (const [session, body] of [
    [before, { bio: 'accepted before its end' }],
    [after, { name: 'accepted after its end' }],
  ] as const)
    expect((await change(api, session, body)).body.degraded).toBe(true)
  datastore.isAway = false
  // Revokes the second session as of a minute ago, as another process could have done.
  for (const [i, id] of ids.entries())
    await revokeSessions(api.needs.db, [id], (api.clock.now() + (i === 0 ? 1 : -60_000)) as UnixMs)
  await applyJournal(api)
  const look = await api.call('GET', '/api/shop/config', { key: merchant.key })
  expect(look.body.config).toMatchObject({ name: 'Before', bio: 'accepted before its end' })
  expect(
    api.logged.filter(({ msg }) => msg === 'an accepted write was rejected when it was applied'),
  ).toHaveLength(1)
})

test('who has got a new token in the last minutes is known by it in an outage', async () => {
  const { api, datastore } = await startTakeableApi(database)
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  await change(api, session, { name: 'Before' })
  await api.clock.advance(6 * 60_000)
  const cookie = cookieOf(await change(api, session, { name: 'Renewed' }))
  expect(cookie).not.toBe('')
  expect(cookie).not.toBe(session.cookie)
  datastore.isAway = true
  expect((await change(api, { ...session, cookie }, { name: 'Accepted' })).body.degraded).toBe(true)
})
