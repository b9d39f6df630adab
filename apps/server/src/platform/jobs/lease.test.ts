import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { claimLease, releaseLease } from './lease.ts'

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
