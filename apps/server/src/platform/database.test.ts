import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTestDatabase, type TestDatabase } from '../../test/support/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await makeTestDatabase()
})
afterAll(() => database.drop())

const one = {
  name: 'test-one',
  text: 'SELECT $1::int8 AS big, 12345678901234567890::numeric AS huge, 1::int4 AS small',
}

test('int8 and numeric come back as bigint, int4 as number', async () => {
  const row = await database.pool.row(one, [9_007_199_254_740_993n])
  expect(row).toEqual({ big: 9_007_199_254_740_993n, huge: 12345678901234567890n, small: 1 })
})
