import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { asOutage, DatastoreAway } from '../../../src/platform/database/degraded.ts'
import type { Statement } from '../../../src/platform/database/statement.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { logIn, newWallet } from '../../support/api/sessions.ts'
import type { TestApi, TestMerchant } from '../../support/api/start-api.ts'
import { makeTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { applyJournal, startTakeableApi, type TakeableApi } from './takeable-api.ts'

async function start(database: TestDatabase, between?: (db: Database) => Database): Promise<TakeableApi> {
  onTestFinished(() => database.drop())
  return startTakeableApi(database, between)
}

const harming = (isHarmed: (wallet: string) => boolean, harm: () => Error) => (db: Database) =>
  wrapDatabase(db, async ({ values = [] }: Statement, run) => {
    if (values.some((value) => typeof value === 'string' && isHarmed(value))) throw harm()
    return run()
  })

const report = (api: TestApi, wallet: string, receiptId = 'r') =>
  api.call('POST', '/api/receipts/status', { body: { receiptId, wallet, status: 'link_opened' } })

async function countsOf(api: TestApi, wallet: string): Promise<number[]> {
  const text = 'SELECT count FROM receipt_telemetry WHERE merchant = $1'
  const rows = await api.database.pool.rows<{ count: bigint }>({ name: '', text }, [wallet])
  return rows.map(({ count }) => Number(count))
}

async function addSeller(api: TestApi): Promise<TestMerchant> {
  const merchant = await api.addMerchant()
  const body = receiptBody('r')
  expect((await api.call('POST', '/api/receipts', { key: merchant.key, body })).status).toBe(201)
  return merchant
}

test('while the database is away, a round tries one promise and not those of everybody', async () => {
  const asked: string[] = []
  const { api, datastore } = await start(await makeTestDatabase(), (db) => ({
    ...wrapDatabase(db, async ({ name }, run) => {
      asked.push(name)
      return run()
    }),
    transaction: (work) => {
      asked.push('BEGIN')
      return db.transaction(work)
    },
  }))
  const seller = await addSeller(api)
  datastore.isAway = true
  for (let i = 0; i < 30; i++) await report(api, newWallet().wallet)
  await report(api, seller.wallet)
  expect(api.journal.pendingCount).toBe(31)
  asked.length = 0
  await applyJournal(api)
  expect(asked.filter((name) => name === 'BEGIN')).toHaveLength(1)
  expect(asked.length).toBeLessThanOrEqual(3)
  datastore.isAway = false
  await applyJournal(api)
  expect(api.journal.pendingCount).toBe(0)
  expect(await countsOf(api, seller.wallet)).toEqual([1])
})

test('writes that the database cannot take although it is there end a round after ten, and come after the others in the next', async () => {
  const stuck = Array.from({ length: 25 }, () => newWallet().wallet)
  let isStuck = true
  let tries = 0
  const between = harming(
    (wallet) => isStuck && stuck.some((each) => each === wallet),
    () => {
      tries += 1
      return new DatastoreAway('canceling statement due to lock timeout')
    },
  )
  const { api, datastore } = await start(await makeTestDatabase(), between)
  const seller = await addSeller(api)
  datastore.isAway = true
  for (const wallet of stuck) await report(api, wallet)
  await report(api, seller.wallet)
  datastore.isAway = false
  for (let round = 1; round <= 3; round++) {
    tries = 0
    await applyJournal(api)
    expect(tries).toBeLessThanOrEqual(10)
  }
  expect(await countsOf(api, seller.wallet)).toEqual([1])
  expect((await report(api, seller.wallet)).body.degraded).toBeUndefined()
  expect(api.journal.pendingCount).toBe(25)
  isStuck = false
  await applyJournal(api)
  expect(api.journal.pendingCount).toBe(0)
})

test('a write that fails by a defect is told of, holds up nobody else, and is kept until it succeeds', async () => {
  const broken = newWallet().wallet
  let isBroken = false
  const between = harming(
    (wallet) => isBroken && wallet === broken,
    () => new Error('a defect'),
  )
  const { api, datastore } = await start(await makeTestDatabase(), between)
  const seller = await addSeller(api)
  datastore.isAway = true
  await report(api, broken)
  await report(api, seller.wallet)
  ;[datastore.isAway, isBroken] = [false, true]
  await expect(applyJournal(api)).rejects.toThrow('a defect')
  expect(await countsOf(api, seller.wallet)).toEqual([1])
  expect(api.journal.pendingCount).toBe(1)
  for (let day = 0; day < 40; day++) {
    api.clock.jumpTo(api.clock.now() + 86_400_000)
    await expect(applyJournal(api)).rejects.toThrow('a defect')
  }
  isBroken = false
  await applyJournal(api)
  expect(api.journal.pendingCount).toBe(0)
})

const passing = [
  ['a standby that is not promoted yet', '25006', 'cannot execute INSERT in a read-only transaction'],
  ['a full disk', '53100', 'could not extend file "base/1": No space left on device'],
  ['a host whose name cannot be resolved', 'EAI_AGAIN', 'getaddrinfo EAI_AGAIN db'],
  ['a network that is down', 'ENETDOWN', 'connect ENETDOWN 10.0.0.1:5432'],
] as const
test.each(
  passing,
)('an accepted write outlives any number of rounds, over days, that meet %s', async (_, code, message) => {
  let isBroken = false
  const { api, datastore } = await start(await makeTestDatabase(), (db) =>
    wrapDatabase(db, async ({ name }: Statement, run) => {
      if (isBroken && name === 'mark-journal-applied')
        throw asOutage(
          Object.assign(new Error(message), { code, ...(/^E/.test(code) && { syscall: 'connect' }) }),
        )
      return run()
    }),
  )
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  const change = (body: object) => api.call('POST', '/api/shop/config', { session, body })
  await change({ name: 'Before' })
  datastore.isAway = true
  expect((await change({ name: 'Accepted' })).body).toMatchObject({ ok: true, degraded: true })
  ;[datastore.isAway, isBroken] = [false, true]
  for (let round = 0; round < 48; round++) {
    api.clock.jumpTo(api.clock.now() + 3_600_000)
    await applyJournal(api).catch(() => {})
  }
  isBroken = false
  await applyJournal(api)
  const look = await api.call('GET', '/api/shop/config', { key: merchant.key })
  expect(look.body.config.name).toBe('Accepted')
})

test('a write that comes after one which fails by a defect is accepted behind it', async () => {
  let isBroken = false
  const { api, datastore } = await start(await makeTestDatabase(), (db) =>
    wrapDatabase(db, async ({ name }: Statement, run) => {
      if (isBroken && name === 'mark-journal-applied') throw new Error('a defect')
      return run()
    }),
  )
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  const change = (body: object, headers = {}) =>
    api.call('POST', '/api/shop/config', { session, body, headers })
  await change({ name: 'Before' })
  datastore.isAway = true
  await change({ name: 'First', bio: 'first' })
  ;[datastore.isAway, isBroken] = [false, true]
  expect((await change({ name: 'Second' })).body).toMatchObject({ ok: true, degraded: true })
  expect((await change({ name: 'Never' }, { 'idempotency-key': 'one' })).status).toBe(503)
  isBroken = false
  await applyJournal(api)
  const look = await api.call('GET', '/api/shop/config', { key: merchant.key })
  expect(look.body.config).toMatchObject({ name: 'Second', bio: 'first' })
})

test('a change that is not valid is refused while an earlier one waits, as it is otherwise', async () => {
  const { api, datastore } = await start(await makeTestDatabase())
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  const change = (body: object) => api.call('POST', '/api/shop/config', { session, body })
  await change({ name: 'Before' })
  datastore.isAway = true
  const invalid = { name: 'Never', theme: { primaryColor: 'no colour' } }
  expect((await change(invalid)).status).toBe(400)
  expect((await change({ bio: 'waits' })).body.degraded).toBe(true)
  const second = await change(invalid)
  expect([second.status, second.body.error]).toEqual([400, 'invalid_input'])
})

test('a merchant who looks after an outage sees what was accepted of him, in its order, before any round', async () => {
  const { api, datastore } = await start(await makeTestDatabase())
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  const change = (body: object) => api.call('POST', '/api/shop/config', { session, body })
  const nameOf = async () =>
    (await api.call('GET', '/api/shop/config', { key: merchant.key })).body.config.name
  await change({ name: 'Before' })
  datastore.isAway = true
  for (const name of ['First', 'Second']) expect((await change({ name })).body.degraded).toBe(true)
  for (let i = 0; i < 50; i++) await report(api, newWallet().wallet)
  datastore.isAway = false
  expect(await nameOf()).toBe('Second')
  expect(api.journal.pendingCount, 'what others were promised waits for a round').toBe(50)
})

test('what cannot be done yet keeps no merchant from looking at his shop, and is tried once a round', async () => {
  let tries = 0
  let isBroken = false
  const { api, datastore } = await start(await makeTestDatabase(), (db) =>
    wrapDatabase(db, async ({ name }: Statement, run) => {
      if (isBroken && name === 'mark-journal-applied') {
        tries += 1
        throw new Error('a defect')
      }
      return run()
    }),
  )
  const merchant = await api.addMerchant()
  const session = await logIn(api, merchant)
  const change = (body: object) => api.call('POST', '/api/shop/config', { session, body })
  const look = () => api.call('GET', '/api/shop/config', { key: merchant.key })
  await change({ name: 'Before' })
  datastore.isAway = true
  await change({ name: 'Later' })
  ;[datastore.isAway, isBroken] = [false, true]
  await expect(applyJournal(api)).rejects.toThrow('a defect')
  tries = 0
  for (let i = 0; i < 20; i++) expect((await look()).body.config.name).toBe('Before')
  expect(tries).toBe(0)
  isBroken = false
  await applyJournal(api)
  expect((await look()).body.config.name).toBe('Later')
})
