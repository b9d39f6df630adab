import { expect, onTestFinished, test } from 'vitest'
import { replaceDatabaseTime, setDatabaseTime } from '../../../test/support/database/database-time.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { claimLease, listHeldLeases, releaseLease } from './lease.ts'

const database = perFile(makeTestDatabase)

const expire = { name: 'test-expire', text: "UPDATE lease SET held_until = 'epoch' WHERE name = $1" }

test('of many that ask at once one gets the lease', async () => {
  const asked = Array.from({ length: 20 }, (_, i) => claimLease(database.pool, 'race', `holder-${i}`, 60_000))
  const leases = (await Promise.all(asked)).filter((lease) => lease !== undefined)
  expect(leases).toHaveLength(1)
})

test('the holder keeps it under the same token, others wait', async () => {
  const first = await claimLease(database.pool, 'kept', 'a', 60_000)
  expect(await claimLease(database.pool, 'kept', 'b', 60_000)).toBeUndefined()
  expect(await claimLease(database.pool, 'kept', 'a', 60_000)).toEqual(first)
})

test('a later holder has a higher token, after expiry and after release', async () => {
  const first = await claimLease(database.pool, 'passed', 'a', 60_000)
  await database.pool.run(expire, ['passed'])
  const second = await claimLease(database.pool, 'passed', 'b', 60_000)
  if (!first || !second) throw new Error('both were free to take')
  expect(second.fencingToken).toBeGreaterThan(first.fencingToken)
  await releaseLease(database.pool, second)
  const third = await claimLease(database.pool, 'passed', 'a', 60_000)
  expect(third?.fencingToken).toBeGreaterThan(second.fencingToken)
})

test('a holder of old cannot give back what another has taken since', async () => {
  const old = await claimLease(database.pool, 'stolen', 'a', 60_000)
  await database.pool.run(expire, ['stolen'])
  await claimLease(database.pool, 'stolen', 'b', 60_000)
  if (old) await releaseLease(database.pool, old)
  expect(await claimLease(database.pool, 'stolen', 'c', 60_000)).toBeUndefined()
})

test('it is kept until the time of the database passes its end, and no longer', async () => {
  const start = Date.UTC(2040, 0, 1)
  const { url, pool, drop } = await makeTestDatabase()
  onTestFinished(drop)
  await replaceDatabaseTime(url, start)
  expect(await claimLease(pool, 'timed', 'a', 3_000)).toBeDefined()
  await setDatabaseTime(pool, start + 3_000)
  expect(await claimLease(pool, 'timed', 'b', 3_000)).toBeUndefined()
  expect(await listHeldLeases(pool, 'timed')).toEqual([])
  await setDatabaseTime(pool, start + 3_001)
  expect(await claimLease(pool, 'timed', 'b', 3_000)).toBeDefined()
})
