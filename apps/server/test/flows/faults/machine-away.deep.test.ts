import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, onTestFinished, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { listAllSetAside } from '../../../src/platform/jobs/set-aside-store.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import {
  makeWebhookMerchant,
  oweNotice,
  startWebhookReceiver,
  until,
  webhookMasterKey,
} from '../../support/api/webhooks.ts'
import { addDeployedSplit, startPayments } from '../../support/chain/payments.ts'
import { type Machines, openMachines } from '../../support/database/machines.ts'
import { isOnCluster } from '../../support/database/on-cluster.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { TestClock } from '../../support/test-clock.ts'

/** A merchant who stands on another machine. */
async function elsewhere<Merchant extends { readonly wallet: string }>(
  machines: Machines,
  wallet: string,
  make: () => Promise<Merchant>,
): Promise<Merchant> {
  const place = await machines.placeOf(wallet)
  for (;;) {
    const merchant = await make()
    if ((await machines.placeOf(merchant.wallet)) !== place) return merchant
  }
}

const alertsOf = (logged: readonly Record<string, unknown>[]) =>
  logged.flatMap(({ alert }) => (alert === undefined ? [] : [alert]))

test('while a machine of the database is away, webhooks of merchants on others are sent; its own once it is back', async () => {
  const database = await makeTestDatabase()
  const machines = await openMachines(database.pool)
  const clock = new TestClock()
  const receiver = await startWebhookReceiver(() => clock.now())
  const away = makeWebhookMerchant()
  const place = await machines.placeOf(away.wallet)
  const there = await elsewhere(machines, away.wallet, async () => makeWebhookMerchant())
  const stateOf = async (merchant: Wallet) => {
    const text = `SELECT state FROM notice WHERE merchant = '${merchant}'`
    return (await database.pool.rows<{ state: string }>({ name: '', text })).map(({ state }) => state)
  }
  for (const merchant of [there, away])
    for (const subject of ['one', 'two', 'three'])
      await oweNotice(database.pool, clock, merchant, { url: `${receiver.url}/${merchant.keyId}`, subject })
  await machines.cut(place)
  const api = await startApi({
    beside: { database, clock },
    between: machines.between,
    masterKey: webhookMasterKey,
    webhooks: 'sent',
    running: [jobNames.deliverWebhooks],
  })
  onTestFinished(async () => {
    await api.stop()
    await receiver.close()
    await database.drop()
  })
  const isSent = async (merchant: Wallet) => (await stateOf(merchant)).every((state) => state === 'delivered')
  await until(clock, () => isSent(there.wallet), 'webhooks of the machine that is there', 500)
  for (let second = 0; second < 20; second++) await clock.advance(1_000)
  expect(receiver.received.some(({ path }) => path.endsWith(away.keyId))).toBe(false)
  expect(alertsOf(api.logged)).toEqual(['database-machine-away'])

  await machines.mend()
  await until(clock, () => isSent(away.wallet), 'webhooks of the machine that is back', 500)
  expect(receiver.received.filter(({ path }) => path.endsWith(away.keyId))).toHaveLength(3)
})

/** How a machine may be away; a worker of a real cluster only in the first way here. */
const ways = [
  ['is away', 'all', 'datastore_unavailable', 'database-machine-away'],
  ['only reads', 'writes', 'datastore_unavailable', 'database-machine-away'],
  ['has a full disk', 'rows', 'disk_full', 'item-set-aside'],
] as const

test.each(
  isOnCluster ? ways.slice(0, 1) : ways,
)('while a machine of the database %s, payments to merchants on others are credited; to its own once, when it is back', async (_, refused, fault, alert) => {
  const database = await makeTestDatabase()
  const machines = await openMachines(database.pool)
  const world = await startPayments({
    beside: { database, clock: new TestClock(Date.now()) },
    between: machines.between,
  })
  onTestFinished(async () => {
    await world.stop()
    await database.drop()
  })
  const away = world.merchant
  const there = await elsewhere(machines, away.wallet, () => world.api.addMerchant())
  await addDeployedSplit(world.api, there.wallet)
  await world.syncClock()
  const attemptOf = async (merchant: TestMerchant, id: string) => {
    const body = { id, lineItems: [{ label: 'Thing', priceUsd: 20 }], totalUsd: 20 }
    const made = await world.api.call('POST', '/api/receipts', { key: merchant.key, body })
    expect(made.status).toBe(201)
    const path = `/api/checkout/${id}/attempts?recipient=${merchant.wallet}`
    return (await world.api.call('POST', path, { body: { token: 'USDC' } })).body
  }
  const paymentsOf = (merchant: TestMerchant) =>
    world.rows<{ state: string }>('SELECT state FROM payment WHERE merchant = $1', [merchant.wallet])
  const [own, others] = [await attemptOf(away, 'own'), await attemptOf(there, 'others')]

  await machines.cut(await machines.placeOf(away.wallet), refused)
  await world.pay(own, 'transfer')
  await world.pay(others, 'call')
  await world.pay(await attemptOf(there, 'made-meanwhile'), 'transfer')
  await world.mine(8)
  await world.syncClock()
  await world.scan()
  expect(await paymentsOf(there)).toEqual([{ state: 'credited' }, { state: 'credited' }])
  expect(await listAllSetAside(database.pool, 10)).toMatchObject([
    {
      job: jobNames.scanTransfers,
      merchant: away.wallet,
      item: 'receipt own',
      fault,
    },
  ])
  await world.passTime(120)
  await world.scan()
  expect(world.alerts()).toEqual([alert])

  await machines.mend()
  for (let round = 0; round < 4; round++) {
    await world.passTime(60)
    await world.scan()
  }
  expect(await paymentsOf(away)).toEqual([{ state: 'credited' }])
  expect(await world.status('own')).toBe('paid')
  expect(await listAllSetAside(database.pool, 10)).toEqual([])
})

test('what waits for a machine of the database costs a step of the watcher no more the more there is', async () => {
  const database = await makeTestDatabase()
  const machines = await openMachines(database.pool)
  let sentCount = 0
  const world = await startPayments({
    beside: { database, clock: new TestClock(Date.now()) },
    between: (db) =>
      wrapDatabase(machines.between(db), (_, run) => {
        sentCount += 1
        return run()
      }),
  })
  onTestFinished(async () => {
    await world.stop()
    await database.drop()
  })
  const away = world.merchant.wallet
  const there = await elsewhere(machines, away, async () => ({ wallet: newWallet().wallet }))
  const wait = (merchant: string, count: number) =>
    world.rows(`INSERT INTO set_aside (job, merchant, item, fault, reason, since, tries, next_try)
      SELECT '${jobNames.scanTransfers}', '${merchant}', 'receipt r' || i, 'datastore_unavailable', 'away', 0, 5, i
      FROM generate_series(1, ${count}) AS i ON CONFLICT DO NOTHING`)
  const dueCount = async () => {
    const due = `SELECT count(*) FROM set_aside WHERE next_try <= ${world.api.clock.now()}`
    return (await world.rows<{ count: bigint }>(due))[0]?.count
  }
  const countInScan = async () => {
    await world.passTime(60)
    sentCount = 0
    await world.scan()
    return sentCount
  }
  await machines.cut(await machines.placeOf(away))
  await wait(away, 10)
  await world.scan()
  const few = await countInScan()
  await wait(away, 5_000)
  expect(await countInScan()).toBeLessThanOrEqual(few)
  expect(await dueCount()).toBe(0n)

  // Of others, so many in a step that it is over soon.
  await wait(there.wallet, 500)
  await world.scan()
  expect(await dueCount()).toBe(300n)
  await machines.mend()
})

test('while a machine of the database is away, requests of its merchants are answered without it, and those of others as ever', async () => {
  const database = await makeTestDatabase()
  const machines = await openMachines(database.pool)
  const sent: string[] = []
  const api = await startApi({
    beside: { database, clock: new TestClock() },
    between: (db) =>
      wrapDatabase(machines.between(db), ({ text, values = [] }, run) => {
        if (/\bmerchant = /.test(text)) sent.push(...values.filter((value) => typeof value === 'string'))
        return run()
      }),
  })
  onTestFinished(async () => {
    await api.stop()
    await database.drop()
  })
  const away = await api.addMerchant()
  const there = await elsewhere(machines, away.wallet, () => api.addMerchant())
  const readOf = async ({ key }: TestMerchant) =>
    (await api.call('GET', '/api/receipts/none', { key })).status
  const writeOf = async ({ key }: TestMerchant) => {
    const body = { id: 'one', lineItems: [{ label: 'Thing', priceUsd: 20 }], totalUsd: 20 }
    return (await api.call('POST', '/api/receipts', { key, body })).status
  }
  expect([await readOf(away), await readOf(there)]).toEqual([404, 404])

  await machines.cut(await machines.placeOf(away.wallet))
  expect(await readOf(away)).toBe(503)
  await expect.poll(() => alertsOf(api.logged)).toEqual(['database-machine-away'])
  sent.length = 0
  expect([await readOf(away), await writeOf(away), await readOf(there), await writeOf(there)]).toEqual([
    503, 503, 404, 201,
  ])
  expect(sent).not.toContain(away.wallet)

  await machines.mend()
  await api.clock.advance(60_000)
  await expect.poll(() => readOf(away)).toBe(404)
  expect(await writeOf(away)).toBe(201)
})

test('while a machine of the database is away, money of merchants on others goes all the way to their recipients', async () => {
  const database = await makeTestDatabase()
  const machines = await openMachines(database.pool)
  const world = await startPayments({
    beside: { database, clock: new TestClock(Date.now()) },
    between: machines.between,
    slotsInAnEpoch: 1,
  })
  onTestFinished(async () => {
    await world.stop()
    await database.drop()
  })
  const there = world.merchant
  const away = await elsewhere(machines, there.wallet, () => world.api.addMerchant())
  await addDeployedSplit(world.api, away.wallet)
  await world.syncClock()
  const attemptOf = async (merchant: TestMerchant, id: string) => {
    const body = { id, lineItems: [{ label: 'Thing', priceUsd: 20 }], totalUsd: 20 }
    await world.api.call('POST', '/api/receipts', { key: merchant.key, body })
    const path = `/api/checkout/${id}/attempts?recipient=${merchant.wallet}`
    return (await world.api.call('POST', path, { body: { token: 'USDC' } })).body
  }
  const statusOf = async (merchant: TestMerchant, id: string) =>
    (await world.api.call('GET', `/api/receipts/${id}`, { key: merchant.key })).body.status
  for (const [merchant, id] of [
    [there, 'a'],
    [away, 'b'],
  ] as const)
    await world.pay(await attemptOf(merchant, id), 'transfer')
  await world.mine(4)
  await world.scan()
  const work = async (isDone: () => Promise<boolean>) => {
    for (let block = 0; block < 30; block++) {
      await world.scan()
      await world.run(
        jobNames.settleTransactions,
        jobNames.sweepDeposits,
        jobNames.scanDistributions,
        jobNames.distributeSplits,
        jobNames.reconcileReceipts,
        jobNames.keepFeed,
        jobNames.pruneAccess,
        jobNames.anchorAudit,
        jobNames.writeRequestLog,
        jobNames.writeLastUsed,
      )
      if (await isDone()) return true
      await world.mine()
      world.api.clock.jumpTo(world.api.clock.now() + 60_000)
    }
    return false
  }
  await machines.cut(await machines.placeOf(away.wallet))
  expect(await work(async () => (await statusOf(there, 'a')) === 'reconciled')).toBe(true)
  expect(world.alerts()).toEqual(['database-machine-away'])
  await machines.mend()
  expect(await work(async () => (await statusOf(away, 'b')) === 'reconciled')).toBe(true)
  expect(await listAllSetAside(database.pool, 10)).toEqual([])
})
