import { beforeEach, describe, expect, test } from 'vitest'
import { makeTestDatabase } from '../../../test/support/database/test-database.ts'
import { wrapDatabase } from '../../../test/support/database/wrap-database.ts'
import { perFile } from '../../../test/support/per-file.ts'
import { TestClock } from '../../../test/support/test-clock.ts'
import { Outage } from '../../kernel/outage.ts'
import type { Database } from '../database/database.ts'
import { DatastoreAway } from '../database/degraded.ts'
import { makeLog } from '../log.ts'
import { defer, walkItems } from './defer.ts'
import { listDeferred } from './deferred-store.ts'
import { ItemError } from './item-error.ts'

const job = 'count-apples'
const outage = new Outage('chain', 'The chain is currently unavailable')

const database = perFile(makeTestDatabase)
let clock: TestClock
let lines: { alert?: string; item?: string; msg: string }[]
beforeEach(async () => {
  clock = new TestClock()
  lines = []
  await database.pool.run({ name: 'test-empty-deferred', text: 'DELETE FROM deferred_item' })
})

const needs = () => {
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  return { db: database.pool, clock, log }
}
const waiting = async () => (await listDeferred(database.pool, job)).map(({ item }) => item)

async function walk(
  items: readonly string[],
  errors: Readonly<Record<string, unknown>> = {},
  db: Database = database.pool,
) {
  const tried: string[] = []
  const done = walkItems({ ...needs(), db }, items, {
    job,
    nameOf: (item) => ({ merchant: '0xaa', item }),
    async work(item) {
      tried.push(item)
      if (item in errors) throw errors[item]
    },
  })
  return { tried, ended: await done.then(() => 'well', String) }
}

describe('a walk over many items', () => {
  test('sets aside the one that fails, does the others, and does it once its try has come', async () => {
    const kind = { b: new ItemError('rotten', 'it is rotten') }
    expect(await walk(['a', 'b', 'c'], kind)).toEqual({ tried: ['a', 'b', 'c'], ended: 'well' })
    expect(await listDeferred(database.pool, job)).toMatchObject([
      { merchant: '0xaa', item: 'b', kind: 'rotten', reason: 'it is rotten', tries: 1 },
    ])
    expect((await walk(['a', 'b', 'c'], kind)).tried).toEqual(['a', 'c'])
    await clock.advance(10_000)
    expect((await walk(['a', 'b', 'c'])).tried).toEqual(['a', 'b', 'c'])
    expect(await waiting()).toEqual([])
  })

  test('tries the more seldom the oftener it failed, and an hour apart at most', async () => {
    const pauses: number[] = []
    for (let i = 0; i < 8; i++)
      pauses.push((await defer(needs(), { job, merchant: '', item: 'b' }, new Error('no'))) - clock.now())
    expect(pauses).toEqual([10_000, 40_000, 160_000, 640_000, 2_560_000, 3_600_000, 3_600_000, 3_600_000])
  })

  test('alerts when it begins and when the reason is another, and says when it ends', async () => {
    for (const reason of ['one', 'one', 'one', 'two', 'two']) {
      await walk(['b'], { b: new Error(reason) })
      await clock.advance(3_600_000)
    }
    await walk(['b'])
    expect(lines.map(({ alert, msg }) => alert ?? msg)).toEqual([
      'item-deferred',
      'item-deferred',
      'a deferred item has succeeded',
    ])
  })

  test("ends in an outage, which is no item's fault", async () => {
    const all = { a: outage, b: outage, c: outage, d: outage }
    expect(await walk(['a', 'b', 'c', 'd'], all)).toEqual({ tried: ['a', 'b', 'c'], ended: String(outage) })
    const away = new DatastoreAway('Connection terminated')
    expect(await walk(['a', 'b'], { a: away })).toEqual({ tried: ['a'], ended: String(away) })
    expect(await waiting()).toEqual([])
  })

  test.each(['57014', '25P03'])('defers what took a database too long that answers (%s)', async (code) => {
    const text = `DO $$ BEGIN RAISE EXCEPTION 'it took too long' USING ERRCODE = '${code}'; END $$`
    const slow = await database.pool.run({ name: '', text, isPlannedAnew: true }).catch((error) => error)
    expect(slow).toBeInstanceOf(DatastoreAway)
    const all = { a: slow, b: slow, c: slow }
    expect(await walk(['a', 'b', 'c', 'd'], all)).toEqual({ tried: ['a', 'b', 'c', 'd'], ended: 'well' })
    expect(await waiting()).toEqual(['a', 'b', 'c'])
    expect(lines.map(({ alert }) => alert)).toEqual(Array(3).fill('item-deferred'))

    const frozen = wrapDatabase(database.pool, ({ name }, run) => {
      if (name === 'ask-for-an-answer') throw new DatastoreAway('The database does not answer')
      return run()
    })
    expect(await walk(['e', 'f'], { e: slow }, frozen)).toEqual({ tried: ['e'], ended: String(slow) })
    expect(await waiting()).toEqual(['a', 'b', 'c'])
  })

  test.each([
    [['a', 'b', 'c']],
    [['b', 'a', 'c']],
    [['c', 'a', 'b']],
  ])('takes what befalls one alone of %j for its own, wherever it stands', async (items) => {
    expect(await walk(items, { b: outage })).toEqual({ tried: items, ended: 'well' })
    expect(await waiting()).toEqual(['b'])
  })
})
