import { beforeAll, expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { makeLog } from '../log.ts'
import { type Database, Pool } from './database.ts'
import { DatastoreAway } from './degraded.ts'
import { checkDurability } from './opening/check-durability.ts'

const database = perFile(makeTestDatabase)
beforeAll(() => database.pool.run(create))

const create = { name: 'test-table', text: 'CREATE TABLE test_pair (id text PRIMARY KEY, n int8 NOT NULL)' }
const insert = { name: 'test-insert', text: 'INSERT INTO test_pair (id, n) VALUES ($1, $2)' }
const read = { name: 'test-read', text: 'SELECT n FROM test_pair WHERE id = $1' }
const write = { name: 'test-write', text: 'UPDATE test_pair SET n = $2 WHERE id = $1' }
const serializable = { name: 'test-serializable', text: 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE' }

test('int8 and numeric come back as bigint, alone and in arrays; int4 as number', async () => {
  const row = await database.pool.row(
    {
      name: 'test-types',
      text: `SELECT $1::int8 AS big, 12345678901234567890::numeric AS huge, 1::int4 AS small,
        ARRAY[9007199254740993, NULL]::int8[] AS bigs, ARRAY[12345678901234567890]::numeric[] AS huges`,
    },
    [9_007_199_254_740_993n],
  )
  expect(row).toEqual({
    big: 9_007_199_254_740_993n,
    huge: 12345678901234567890n,
    small: 1,
    bigs: [9_007_199_254_740_993n, null],
    huges: [12345678901234567890n],
  })
})

test('answers that come in many pieces, beside small ones on the same few connections, come as they are', async () => {
  const pieces = {
    name: 'test-pieces',
    text: `SELECT i, repeat($1, $2::int4) AS filler FROM generate_series(1, 3) AS i`,
  }
  const ask = async (i: number) => {
    const [sign, length] = [i % 3 === 0 ? 'ü' : 'x', (i % 7) * 50_000 + i]
    const rows = await database.pool.rows(pieces, [sign, length])
    expect(rows).toEqual([1, 2, 3].map((n) => ({ i: n, filler: sign.repeat(length) })))
  }
  // In small batches: on a slow machine, the last of all 60 would exceed the limit for a connection.
  for (let first = 0; first < 60; first += 10)
    await Promise.all(Array.from({ length: 10 }, (_, i) => ask(first + i)))
})

test('a transaction that throws leaves nothing', async () => {
  const failing = database.pool.transaction(async (tx) => {
    await tx.run(insert, ['gone', 1n])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await database.pool.row(read, ['gone'])).toBeUndefined()
})

test('a transaction inside another is part of it', async () => {
  const failing = database.pool.transaction(async (tx) => {
    await tx.transaction((inner) => inner.run(insert, ['inner', 1n]))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await database.pool.row(read, ['inner'])).toBeUndefined()
})

test('transactions that cannot be put in an order are run again until they can', async () => {
  await database.pool.run(insert, ['counter', 0n])
  const addOne = async (tx: Database) => {
    await tx.run(serializable)
    const row = await tx.row<{ n: bigint }>(read, ['counter'])
    await tx.run(write, ['counter', (row?.n ?? 0n) + 1n])
  }
  await Promise.all([1, 2, 3].map(() => database.pool.transaction(addOne)))
  expect(await database.pool.row(read, ['counter'])).toEqual({ n: 3n })
})

test.each(['40P01', '40001'])('a statement by itself that ends with %s is done again', async (code) => {
  const make = (text: string) => database.pool.run({ name: '', text })
  await make(`CREATE SEQUENCE tries_${code}`)
  // A rollback does not reset a sequence.
  await make(`CREATE FUNCTION fail_twice_${code}() RETURNS int8 LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('tries_${code}') < 3 THEN RAISE EXCEPTION 'in a circle' USING ERRCODE = '${code}'; END IF;
      RETURN currval('tries_${code}');
    END $$`)
  const response = { name: '', text: `SELECT fail_twice_${code}() AS tries` }
  expect(await database.pool.row(response)).toEqual({ tries: 3n })
})

test('a broken connection fails its transaction and is not used again', async () => {
  const breaking = database.pool.transaction(async (tx) => {
    await tx.run({ name: 'test-break', text: 'SELECT pg_terminate_backend(pg_backend_pid())' })
  })
  await expect(breaking).rejects.toThrow()
  for (let i = 0; i < 10; i++) expect(await database.pool.row(read, ['counter'])).toEqual({ n: 3n })
})

test('a transaction that meets an outage asks nothing more of its connection, which is not used again', async () => {
  const pool = new Pool({ url: database.url, log: makeLog('silent'), max: 1 })
  const who = { name: '', text: 'SELECT pg_backend_pid() AS pid' }
  try {
    const before = await pool.row(who)
    const slow = { name: '', text: 'SELECT pg_sleep(60)', limitMs: 1 }
    await expect(pool.run(slow)).rejects.toThrow(DatastoreAway)
    expect(await pool.row(who)).not.toEqual(before)
  } finally {
    await pool.close()
  }
})

test('a write that a server refuses which only reads, as a standby does, meets an outage', async () => {
  const failing = database.pool.transaction(async (tx) => {
    await tx.run({ name: 'test-read-only', text: 'SET TRANSACTION READ ONLY' })
    await tx.run(insert, ['read only', 1n])
  })
  await expect(failing).rejects.toThrow(DatastoreAway)
})

test('a transaction whose process says nothing for too long is ended, who waits for its rows gets them, and it is done anew', async () => {
  await database.pool.run(insert, ['held', 0n])
  let attempts = 0
  await database.pool.transaction(async (tx) => {
    attempts += 1
    const row = await tx.row<{ n: bigint }>(read, ['held'])
    await tx.run(write, ['held', (row?.n ?? 0n) + 1n])
    // The server ends the first attempt, which also ends the other write's wait.
    if (attempts === 1) expect(await database.pool.run(write, ['held', 10n])).toBe(1)
  })
  expect(attempts).toBe(2)
  expect(await database.pool.row(read, ['held'])).toEqual({ n: 11n })
})

test('a statement has its own time where it names one, alone and in a transaction; what follows has the usual', async () => {
  const limit = (limitMs?: number) => ({
    name: `test-limit-${limitMs}`,
    text: "SELECT current_setting('statement_timeout') AS limit",
    ...(limitMs !== undefined && { limitMs }),
  })
  expect(await database.pool.row(limit(60_000))).toEqual({ limit: '1min' })
  expect(await database.pool.row(limit())).toEqual({ limit: '10s' })
  await database.pool.transaction(async (tx) => {
    expect(await tx.row(limit(60_000))).toEqual({ limit: '1min' })
    expect(await tx.row(limit())).toEqual({ limit: '10s' })
  })
  const slow = { name: 'test-slow', text: 'SELECT pg_sleep(60)', limitMs: 50 }
  await expect(database.pool.row(slow)).rejects.toThrow(DatastoreAway)
})

test('a database that may forget what it acknowledged is refused by name', async () => {
  await expect(checkDurability(database.pool)).rejects.toThrow(
    'fsync is off, full_page_writes is off, synchronous_commit is off',
  )
})
