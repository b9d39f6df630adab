import { expect, test } from 'vitest'
import { endSubscription } from '../../../src/access/keys/change-subscription.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { NudgeListener } from '../../../src/platform/database/notify.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { makeReceipt, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { logIn } from '../../support/api/sessions.ts'
import { startApi, type TestApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const limitMs = 1_000
const revocations = 5
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

const credentials = ['key', 'session'] as const

/** Revokes credentials in turn. Returns the longest time for which one of them was still accepted. */
async function mostLetInMs(replica: TestApi, kind: (typeof credentials)[number]): Promise<number> {
  let mostMs = 0
  for (let i = 0; i < revocations; i++) mostMs = Math.max(mostMs, await lastLetInMs(replica, kind))
  return mostMs
}

/** Returns the milliseconds from the end of a credential until the last request that it could send. */
async function lastLetInMs(replica: TestApi, kind: (typeof credentials)[number] = 'key'): Promise<number> {
  const merchant = await api.addMerchant()
  const session = kind === 'session' ? await logIn(api, merchant) : undefined
  const ask = () => replica.call('GET', '/api/receipts', session ? { session } : { key: merchant.key })
  expect((await ask()).status).toBe(200)
  if (session) expect((await api.call('POST', '/api/auth/logout', { session })).status).toBe(200)
  else await endSubscription(api.needs, merchant.wallet, merchant.subscriptionId)
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
  return Math.round(lastAt - revokedAt)
}

test.each(
  credentials,
)('a revoked %s is good for nothing on another replica within a second', async (kind) => {
  const { replica, stop } = await startReplica({ realTime: systemClock })
  const listener = await listenFor(replica)
  try {
    const ms = await mostLetInMs(replica, kind)
    console.log(`${revocations} revoked ${kind}s: accepted by another replica for at most ${ms} ms`)
    expect(ms).toBeLessThan(limitMs)
  } finally {
    await listener.close()
    await stop()
  }
})

test.each(
  credentials,
)('a revoked %s is good for nothing within a second where notifications are lost', async (kind) => {
  const { replica, stop } = await startReplica({ realTime: systemClock })
  try {
    const ms = await mostLetInMs(replica, kind)
    console.log(`without notifications, ${revocations} revoked ${kind}s: accepted for at most ${ms} ms`)
    expect(ms).toBeLessThan(limitMs)
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
