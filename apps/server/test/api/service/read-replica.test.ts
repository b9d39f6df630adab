import { expect, test, vi } from 'vitest'
import { revokeSubscription } from '../../../src/access/keys/subscription-store.ts'
import { findWritesFault } from '../../../src/app/probes/find-writes-fault.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { until } from '../../../src/platform/process/process.ts'
import { startApi, type TestApi, type TestMerchant } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'
import { TestClock } from '../../support/test-clock.ts'
import { startReplicatedPostgres } from './streaming-replica.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 })

const postgres = perFile(startReplicatedPostgres)
const database = perFile(() => {
  const pool = new Pool({ url: postgres.url, log: makeLog('error') })
  return { url: postgres.url, pool, drop: () => pool.close() }
})
const clock = new TestClock()
const start = () => startApi({ beside: { database, clock }, databaseReadUrl: postgres.replicaUrl })
const first = perFile(start)
const second = perFile(start)
const merchant = perFile(() => first.addMerchant({ name: 'Reader' }))

let count = 0

/** Creates a receipt through one process. */
async function create(api: TestApi, { key }: TestMerchant): Promise<string> {
  count += 1
  const id = `read-${String(count).padStart(4, '0')}`
  clock.advance(1_000)
  const body = { id, lineItems: [{ label: 'Something', priceUsd: 5 }], totalUsd: 5 }
  expect((await api.call('POST', '/api/receipts', { key, body })).status).toBe(201)
  return id
}

/** The newest receipt in the list of a process. */
async function newest(api: TestApi, { key }: TestMerchant): Promise<string> {
  const { body } = await api.call('GET', '/api/receipts?limit=1', { key })
  return body.receipts[0].receiptId
}

/** How many of a process's lists were read from where. */
function figures(api: TestApi) {
  const { state } = api.needs.replica ?? { state: undefined }
  if (!state) throw new Error('there is a replica')
  return state
}

/** Until lists are read from the replica again. */
async function untilUsed(api: TestApi): Promise<void> {
  const isUsed = async () => {
    await newest(api, merchant)
    return figures(api).fault === undefined
  }
  expect(await until(isUsed, 60_000)).toBe(true)
}

test('lists come from the replica, and show what was written right before, whichever process wrote it', async () => {
  await create(first, merchant)
  await untilUsed(first)
  await untilUsed(second)
  const before = figures(second)
  for (let i = 0; i < 40; i++) {
    const id = await create(first, merchant)
    expect(await newest(second, merchant)).toBe(id)
  }
  const after = figures(second)
  expect(after.fromReplica - before.fromReplica).toBeGreaterThanOrEqual(20)
})

test('a replica that does not keep up is left out, and the primary shows what was written', async () => {
  await untilUsed(first)
  await postgres.pauseReplay()
  try {
    for (let i = 0; i < 5; i++) {
      const id = await create(first, merchant)
      expect(await newest(first, merchant)).toBe(id)
      expect(await newest(second, merchant)).toBe(id)
    }
    expect(figures(first)).toMatchObject({ fault: 'behind' })
    expect(figures(first).behindBytes).toBeGreaterThan(0)
    expect(first.logged).toContainEqual(
      expect.objectContaining({
        msg: 'lists are read from the primary: the replica is left out',
        fault: 'behind',
      }),
    )
  } finally {
    await postgres.resumeReplay()
  }
  await untilUsed(first)
  await untilUsed(second)
})

test('a single receipt, its status and whether a key is good never depend on the replica', async () => {
  const other = await first.addMerchant({ name: 'Leaver' })
  const { key } = other
  await untilUsed(second)
  await postgres.pauseReplay()
  try {
    const before = figures(second)
    const id = await create(first, other)
    expect((await second.call('GET', `/api/receipts/${id}`, { key })).status).toBe(200)
    expect((await second.call('GET', `/api/receipts/status?receiptId=${id}`, { key })).status).toBe(200)
    const { wallet, subscriptionId } = other
    await database.pool.transaction((tx) => revokeSubscription(tx, wallet, subscriptionId, clock.now()))
    expect((await second.call('GET', '/api/receipts', { key })).status).toBe(401)
    expect(figures(second)).toEqual(before)
  } finally {
    await postgres.resumeReplay()
  }
})

test('a replica that does not answer costs a moment, once, and no list', async () => {
  await untilUsed(first)
  const thaw = postgres.freezeReplica()
  try {
    const id = await create(first, merchant)
    expect(await newest(first, merchant)).toBe(id)
    expect(figures(first)).toMatchObject({ fault: 'unreachable' })
    const startedAt = performance.now()
    for (let i = 0; i < 10; i++) expect(await newest(first, merchant)).toBe(id)
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  } finally {
    thaw()
  }
  await untilUsed(first)
})

test('a server that is no replica of the database is not read from', async () => {
  const alone = await startApi({ beside: { database, clock }, databaseReadUrl: postgres.url })
  try {
    const id = await create(alone, merchant)
    expect(await newest(alone, merchant)).toBe(id)
    expect(figures(alone)).toMatchObject({ fault: 'no replica of this database', fromReplica: 0 })
  } finally {
    await alone.stop()
  }
})

test('a process that was led to a standby knows that it takes no writes', async () => {
  const pool = new Pool({ url: postgres.replicaUrl, log: makeLog('silent') })
  try {
    expect(await findWritesFault(pool, pool.refusedWrites)).toBe('standby')
    expect(await findWritesFault(database.pool, database.pool.refusedWrites)).toBeUndefined()
  } finally {
    await pool.close()
  }
})
