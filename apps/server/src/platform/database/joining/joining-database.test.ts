import { beforeEach, expect, test } from 'vitest'
import { makeTestDatabase } from '../../../../test/support/database/test-database.ts'
import { perFile } from '../../../../test/support/per-file.ts'
import { JoiningDatabase } from './joining-database.ts'

const database = perFile(makeTestDatabase)
const db = perFile(() => new JoiningDatabase(database.pool))
beforeEach(() => database.pool.run({ name: 'test-empty', text: 'DELETE FROM lease' }))

const add = (name: string, on: Pick<JoiningDatabase, 'run'> = db) =>
  on.run({ name: 'test-add', text: `INSERT INTO lease VALUES ($1, 'test', 1, '2026-01-01')` }, [name])
const list = { name: 'test-names', text: 'SELECT name FROM lease ORDER BY name' }
const names = async () => (await database.pool.rows<{ name: string }>(list)).map(({ name }) => name)

test('what is done through it inside a common transaction commits with it', async () => {
  await db.together(async (tx) => {
    await add('a')
    await add('b', tx)
    expect(await names()).toEqual([])
  })
  expect(await names()).toEqual(['a', 'b'])
})

test('and is undone with it, inner transactions that had ended included', async () => {
  const failing = db.together(async () => {
    await add('a')
    await db.transaction((tx) => add('b', tx))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await names()).toEqual([])
})

test('an inner transaction that fails undoes its own work alone, a broken statement too', async () => {
  await db.together(async () => {
    await add('a')
    const inner = db.transaction(async () => {
      await add('b')
      await add('a')
    })
    await expect(inner).rejects.toThrow(/duplicate key/)
    await add('c')
  })
  expect(await names()).toEqual(['a', 'c'])
})

test('an inner transaction that fails after one within it has failed undoes all of its own work', async () => {
  await db.together(async () => {
    await add('a')
    const outer = db.transaction(async () => {
      await add('b')
      const inner = db.transaction(async () => {
        await add('c')
        throw new Error('inner')
      })
      await expect(inner).rejects.toThrow('inner')
      await add('d')
      throw new Error('outer')
    })
    await expect(outer).rejects.toThrow('outer')
    await add('e')
  })
  expect(await names()).toEqual(['a', 'e'])
})

test('statements at once wait for each other, and for an inner transaction in between', async () => {
  await db.together(async () => {
    const failing = db.transaction(async () => {
      await add('lost')
      await Promise.all([add('lost-2'), db.transaction(() => add('lost-3'))])
      throw new Error('no')
    })
    await Promise.all([
      add('a'),
      expect(failing).rejects.toThrow('no'),
      add('b'),
      db.transaction(() => add('c')),
    ])
  })
  expect(await names()).toEqual(['a', 'b', 'c'])
})

test('outside, and after the common transaction, it is the plain database', async () => {
  await add('a')
  let later: Promise<unknown> = Promise.resolve()
  const gate = Promise.withResolvers<void>()
  await db.together(async () => {
    later = gate.promise.then(() => add('b'))
  })
  gate.resolve()
  await later
  expect(await names()).toEqual(['a', 'b'])
})

test('two common transactions at once do not see each other', async () => {
  await Promise.all([
    db.together(() => add('a')),
    db
      .together(async () => {
        await add('b')
        throw new Error('no')
      })
      .catch(() => {}),
  ])
  expect(await names()).toEqual(['a'])
})
