import { expect, onTestFinished, test } from 'vitest'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { openMachines } from '../../support/database/machines.ts'
import { makeTestDatabase } from '../../support/database/test-database.ts'
import { TestClock } from '../../support/test-clock.ts'
import { addDeployedSplit, startPaymentWorld } from '../../support/worlds/payment-world.ts'

test('what waits for a machine that is away costs a step of the watcher no more the more there is', async () => {
  const database = await makeTestDatabase()
  const machines = await openMachines(database.pool)
  const counts = new Map<string, number>()
  const world = await startPaymentWorld({
    beside: { database, clock: new TestClock(Date.now()) },
    between: (db) =>
      wrapDatabase(machines.between(db), ({ name }, run) => {
        counts.set(name, (counts.get(name) ?? 0) + 1)
        return run()
      }),
  })
  onTestFinished(async () => {
    await world.stop()
    await database.drop()
  })
  const away = world.merchant
  const place = await machines.placeOf(away.wallet)
  let there = await world.api.addMerchant()
  while ((await machines.placeOf(there.wallet)) === place) there = await world.api.addMerchant()
  await addDeployedSplit(world.api, there.wallet)
  await world.syncClock()
  const body = { id: 'others', lineItems: [{ label: 'Thing', priceUsd: 20 }], totalUsd: 20 }
  await world.api.call('POST', '/api/receipts', { key: there.key, body })
  const path = `/api/checkout/others/attempts?recipient=${there.wallet}`
  const attempt = (await world.api.call('POST', path, { body: { token: 'USDC' } })).body
  await machines.cut(place)
  // As many as end while the machine is away for an hour, at one or two a second.
  await database.pool.run({
    name: '',
    text: `INSERT INTO set_aside (job, merchant, item, fault, reason, since, tries, next_try)
      SELECT 'scan-transfers', '${away.wallet}', 'receipt r' || i, 'datastore_unavailable', 'away', 0, 5, 0
      FROM generate_series(1, 5000) AS i`,
  })
  await world.pay(attempt, 'transfer')
  await world.mine(8)
  await world.syncClock()
  counts.clear()
  const begun = performance.now()
  await world.scan()
  console.log('scan took', Math.round(performance.now() - begun), 'ms;', counts.get('save-set-aside'), 'saves')
  await world.passTime(60)
  counts.clear()
  const again = performance.now()
  await world.scan()
  console.log('a minute later', Math.round(performance.now() - again), 'ms;', counts.get('save-set-aside'), 'saves')
  expect(counts.get('save-set-aside') ?? 0).toBeLessThan(1_000)
})
