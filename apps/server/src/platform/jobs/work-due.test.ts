import { expect, test } from 'vitest'
import { countStatements } from '../../../test/support/database/count-statements.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perCase } from '../../../test/support/per-file.ts'
import { markAfterCommit } from '../database/inside-transaction.ts'
import { listMerchantsWithWork, noteWork, WorkDirectory } from './work-due.ts'

const database = perCase(makeTestDatabase)

const merchant = '0x00000000000000000000000000000000000000aa'
const day = 86_400_000

const note = () => database.pool.transaction((tx) => noteWork(tx, merchant, ['events']))
const list = () => listMerchantsWithWork(database.pool, 'events', { limit: 10 })

/** How many statements the transaction that notes work sends, beside its beginning and its end. */
async function statementsOfNote(): Promise<number> {
  const { db, total } = countStatements(database.pool)
  await db.transaction((tx) => noteWork(tx, merchant, ['events']))
  return total()
}

test('work that was noted a moment ago is not noted again, by whichever transaction', async () => {
  expect(await statementsOfNote()).toBe(1)
  expect(await statementsOfNote()).toBe(0)
  expect(await list()).toEqual([merchant])
})

test('a note that was rolled back is made again', async () => {
  const failing = database.pool.transaction(async (tx) => {
    await noteWork(tx, merchant, ['events'])
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await note()
  expect(await list()).toEqual([merchant])
})

test('what was noted before a savepoint that is rolled back is noted again after it', async () => {
  const { db, total } = countStatements(database.pool)
  await db.transaction(async (tx) => {
    const noteHere = () => noteWork(tx, merchant, ['events'])
    const dropNotes = markAfterCommit()
    for (let i = 0; i < 2; i++) await noteHere()
    expect(total()).toBe(1)
    dropNotes()
    await noteHere()
  })
  expect(total()).toBe(2)
})

test('whoever is taken off the list is on it again with his next work', async () => {
  const directory = new WorkDirectory('events', async () => [])
  for (let i = 0; i < 3; i++) await note()
  const start = Date.now()
  for (let i = 0; i < 3; i++) await directory.keep(database.pool, (start + i * day) as never)
  expect(await list()).toEqual([])
  await note()
  expect(await list()).toEqual([merchant])
})
