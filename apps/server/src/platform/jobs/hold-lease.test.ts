import pg from 'pg'
import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Database } from '../database/database.ts'
import { until } from '../process/process.ts'
import { claimLease, holdLease, takeSeat } from './lease.ts'
import { usualTimings } from './timings.ts'

const database = perFile(makeTestDatabase)
const needs = { clock: systemClock, timings: { ...usualTimings, leaseMs: 900 } }
const expire = { name: 'test-expire', text: "UPDATE lease SET held_until = 'epoch' WHERE name = $1" }

test('it is kept for as long as the work takes, and given back with it', async () => {
  const { pool } = database
  let claims = 0
  const db: Database = {
    rows: (statement, values) => pool.rows(statement, values),
    run: (statement, values) => pool.run(statement, values),
    transaction: (work) => pool.transaction(work),
    async row(statement, values) {
      const row = await pool.row(statement, values)
      if (statement.name === 'claim-lease') claims += 1
      return row as never
    },
  }
  await holdLease({ ...needs, db }, 'long', 'a', async () => {
    expect(await until(() => claims > 3, 60_000)).toBe(true)
    expect(await holdLease({ ...needs, db: pool }, 'long', 'b', async () => 'taken')).toBeUndefined()
  })
  expect(await holdLease({ ...needs, db: pool }, 'long', 'b', async () => 'taken')).toBe('taken')
})

test('it is given back where the work fails', async () => {
  const failing = holdLease({ ...needs, db: database.pool }, 'failed', 'a', async () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await holdLease({ ...needs, db: database.pool }, 'failed', 'b', async () => 'taken')).toBe('taken')
})

test('one that another process has taken meanwhile is left to it', async () => {
  await holdLease({ ...needs, db: database.pool }, 'lost', 'a', async () => {
    await database.pool.run(expire, ['lost'])
    expect(await claimLease(database.pool, 'lost', 'b', 60_000)).toBeDefined()
  })
  expect(await claimLease(database.pool, 'lost', 'c', 60_000)).toBeUndefined()
})

test('what a process has whose session has ended is free at once, and what a living one has is not', async () => {
  const { pool, url } = database
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  await session.query(takeSeat, ['seated'])
  expect(await claimLease(pool, 'of-a-seated', 'seated:a-job', 600_000)).toBeDefined()
  expect(await claimLease(pool, 'of-an-unseated', 'unseated:a-job', 600_000)).toBeDefined()
  expect(await claimLease(pool, 'of-a-seated', 'b', 600_000)).toBeUndefined()
  await session.end()
  expect(
    await until(async () => (await claimLease(pool, 'of-a-seated', 'b', 600_000)) !== undefined, 10_000),
  ).toBe(true)
  expect(await claimLease(pool, 'of-an-unseated', 'b', 600_000)).toBeUndefined()
})

test('a lease that a release without seats has taken from one that had one is held until it runs out', async () => {
  const { pool } = database
  expect(await claimLease(pool, 'of-two-releases', 'new', 600_000)).toBeDefined()
  const text = "UPDATE lease SET holder = 'old', seated_as = 'new' WHERE name = 'of-two-releases'"
  await pool.run({ name: 'test-take-as-before', text })
  expect(await claimLease(pool, 'of-two-releases', 'b', 600_000)).toBeUndefined()
})
