import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perFile } from '../../../test/support/per-file.ts'

const database = perFile(makeTestDatabase)

const read = {
  name: 'test-lists',
  text: `SELECT $1::text[] AS texts, $2::int8[] AS bigs, $3::bool[] AS flags, $4::text[] AS nested,
    $5::float8[] AS numbers, $6::bytea[] AS bytes`,
}

const awkward = [
  '',
  ' ',
  'NULL',
  'null',
  '{}',
  ',',
  '"',
  '\\',
  '\\"',
  '"\n"',
  '\t\\\u0001',
  "'",
  'ü€😀',
  '\\u0041',
  '"ü\\',
]

test('a list is stored as it was given, whatever its texts hold', async () => {
  const values = [
    [...awkward, null],
    [2n ** 62n, -1n, null],
    [true, false, null],
    [awkward, awkward],
    [0.1, -5, 1e300],
    [new Uint8Array([0, 255, 92, 34])],
  ]
  const bytes = [Buffer.from([0, 255, 92, 34])]
  expect(await database.pool.row(read, values)).toEqual({
    texts: values[0],
    bigs: values[1],
    flags: values[2],
    nested: values[3],
    numbers: values[4],
    bytes,
  })
})

test('any texts come back as they are', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }), async (texts) => {
      const given = texts.map((each) => each.replaceAll('\0', '').toWellFormed())
      const jsons = given.map((each) => JSON.stringify({ each }))
      const row = await database.pool.row<{ texts: string[] }>(
        { name: 'test-texts', text: 'SELECT $1::text[] AS texts' },
        [[...given, ...jsons]],
      )
      expect(row?.texts).toEqual([...given, ...jsons])
    }),
    { numRuns: 50 },
  ))
