import { expect, test } from 'vitest'
import { enqueueMessage, makeWebhookMerchant } from '../../test/support/api/webhooks.ts'
import { makeTestDatabase } from '../../test/support/database/test-database.ts'
import { perFile } from '../../test/support/per-file.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { claimLease, listHeldLeases } from '../platform/jobs/lease.ts'
import { makeLog } from '../platform/log.ts'
import { listDueDeliveries, listMerchantsWithDue } from '../webhooks/delivery/due-store.ts'
import { claimDeliveries } from '../webhooks/store.ts'
import { takeOverFrom } from './take-over.ts'

const clock = new TestClock()
const database = perFile(makeTestDatabase)

async function occupy(holder: string) {
  const { pool: db } = database
  await claimLease(db, `lane of ${holder}`, holder, 60_000)
  await claimLease(db, `sender of ${holder}`, `${holder}:sweep-deposits`, 60_000)
  const id = await enqueueMessage(db, clock, makeWebhookMerchant(), {
    url: 'https://merchant.example.com/hook',
  })
  const due = (await listDue()).filter((message) => message.id === id)
  const now = clock.now()
  const until = (now + 15_000) as typeof now
  await claimDeliveries(db, due, { now, until, token: `${holder}:1` })
  return id
}

async function listDue() {
  const page = { now: clock.now(), after: '', limit: 100 }
  const asked = { of: await listMerchantsWithDue(database.pool, page), now: clock.now() }
  const full = { merchants: [], hosts: [] }
  return listDueDeliveries(database.pool, { ...asked, full, perMerchant: 10, limit: 100 })
}

test('what the dead held is free at once, and what the living hold stays theirs', async () => {
  const { pool: db } = database
  const ofTheDead = await occupy('1-dead')
  await occupy('2-alive')
  expect(await listDue()).toEqual([])
  await takeOverFrom({ db, clock, log: makeLog('silent') }, ['1-dead', '0-dead-long-ago'])
  expect((await listDue()).map(({ id }) => id)).toEqual([ofTheDead])
  const held = (await listHeldLeases(db, '')).map(({ name }) => name)
  expect(held.toSorted()).toEqual(['lane of 2-alive', 'sender of 2-alive'])
})

test('without any dead nothing is touched', async () => {
  const { pool: db } = database
  const before = await listHeldLeases(db, '')
  await takeOverFrom({ db, clock, log: makeLog('silent') }, [])
  expect(await listHeldLeases(db, '')).toEqual(before)
})
