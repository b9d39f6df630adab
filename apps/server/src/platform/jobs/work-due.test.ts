import { expect, test } from 'vitest'
import { countStatements } from '../../../test/support/database/count-statements.ts'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { perCase } from '../../../test/support/per-file.ts'
import { markAfterCommit } from '../database/inside-transaction.ts'
import { makeLog } from '../log.ts'
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
  const needs = { db: database.pool, log: makeLog('silent') }
  for (let i = 0; i < 3; i++) await note()
  const start = Date.now()
  for (let i = 0; i < 3; i++) await directory.keep(needs, (start + i * day) as never)
  expect(await list()).toEqual([])
  await note()
  expect(await list()).toEqual([merchant])
})

test('a list that cannot be checked stays as it stands, which is told once, and is checked again a minute later', async () => {
  await note()
  const lines: { kind: string }[] = []
  const needs = {
    db: database.pool,
    log: makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
  }
  const start = Date.now()
  let [asked, isFailing] = [0, true]
  const directory = new WorkDirectory('events', async () => {
    asked += 1
    if (isFailing) throw new Error('canceling statement due to statement timeout')
    return []
  })
  const askedAfter = async (ms: number) => {
    await directory.keep(needs, (start + ms) as never)
    return asked
  }
  expect(await askedAfter(0)).toBe(1)
  expect(await askedAfter(59_000)).toBe(1)
  expect(await askedAfter(60_000)).toBe(2)
  expect(lines).toMatchObject([{ kind: 'events' }])
  expect(await list()).toEqual([merchant])

  isFailing = false
  expect(await askedAfter(120_000)).toBe(3)
  expect(await askedAfter(180_000)).toBe(3)
  isFailing = true
  expect(await askedAfter(720_000)).toBe(4)
  expect(lines).toHaveLength(2)
})
