import { expect, test } from 'vitest'
import { endSubscription } from '../../../src/access/keys/change-subscription.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { NudgeListener } from '../../../src/platform/database/notify.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { makeReceipt, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startApi, type TestApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const limitMs = 1_000
const api = perFile(() => startApi({ realTime: systemClock }))

/** Starts another process with its own connections, so that it receives changes from the database. */
async function startReplica(options: Parameters<typeof startApi>[0] = {}) {
  const pool = new Pool({ url: api.database.url, log: makeLog('silent') })
  const replica = await startApi({ beside: { ...api, database: { ...api.database, pool } }, ...options })
  return { replica, stop: () => replica.stop().then(() => pool.close()) }
}

async function listenFor(replica: TestApi): Promise<NudgeListener> {
  const listener = new NudgeListener({
    ...replica.needs,
    url: api.database.url,
    clock: systemClock,
    onNudge() {},
    onChange: (kind) => replica.needs.changes.notify(kind),
  })
  await listener.open()
  return listener
}

async function lastLetInMs(replica: TestApi): Promise<number> {
  const merchant = await api.addMerchant()
  const ask = () => replica.call('GET', '/api/receipts', { key: merchant.key })
  expect((await ask()).status).toBe(200)
  await endSubscription(api.needs, merchant.wallet, merchant.subscriptionId)
  const revokedAt = performance.now()
  let lastAt = revokedAt
  await expect
    .poll(
      async () => {
        const sentAt = performance.now()
        const { status } = await ask()
        if (status === 200) lastAt = sentAt
        return status
      },
      { interval: 10 },
    )
    .toBe(401)
  return lastAt - revokedAt
}

test('a revoked key is good for nothing on another replica within a second', async () => {
  const { replica, stop } = await startReplica({ realTime: systemClock })
  const listener = await listenFor(replica)
  try {
    expect(await lastLetInMs(replica)).toBeLessThan(limitMs)
  } finally {
    await listener.close()
    await stop()
  }
})

test('a revoked key is good for nothing within a second where notifications are lost', async () => {
  const { replica, stop } = await startReplica({ realTime: systemClock })
  try {
    expect(await lastLetInMs(replica)).toBeLessThan(limitMs)
  } finally {
    await stop()
  }
})

test('a notification ends a key on another replica without any time passing there', async () => {
  // The clock is frozen, so that no cache entry expires.
  const { replica, stop } = await startReplica()
  const listener = await listenFor(replica)
  try {
    await lastLetInMs(replica)
  } finally {
    await listener.close()
    await stop()
  }
})

test('a revoked key is refused at once by the process that revoked it', async () => {
  const merchant = await api.addMerchant()
  const ask = async () => (await api.call('GET', '/api/receipts', { key: merchant.key })).status
  expect(await ask()).toBe(200)
  await endSubscription(api.needs, merchant.wallet, merchant.subscriptionId)
  expect(await ask()).toBe(401)
})

test('a receipt has the name that its shop was given just before', async () => {
  const merchant = await api.addMerchant({ name: 'Before' })
  await makeReceipt(api, merchant, receiptBody('named-1'))
  await changeShop(api.needs, merchant.wallet, { name: 'After' })
  await makeReceipt(api, merchant, receiptBody('named-2'))
  const names = ['named-1', 'named-2'].map(async (id) => (await readReceipt(api, merchant, id)).brandName)
  expect(await Promise.all(names)).toEqual(['Before', 'After'])
})
