import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { Cache } from './cache.ts'
import { Changes, changedWord, endedChanges, writesCached } from './changes.ts'

function setUp() {
  let now = 1_000
  let reads = 0
  const clock: Clock = { now: () => now as UnixMs, after: () => () => {} }
  const changes = new Changes()
  const cache = new Cache({ clock, changes })
  const ask = () => cache.get('a', async () => ({ reads: ++reads }))
  return { cache, changes, ask, jump: (ms: number) => (now += ms) }
}

test('a value is read once, and again when it is 800 ms old', async () => {
  const { ask, jump } = setUp()
  expect([await ask(), await ask()]).toEqual([{ reads: 1 }, { reads: 1 }])
  jump(799)
  expect(await ask()).toEqual({ reads: 1 })
  jump(1)
  expect(await ask()).toEqual({ reads: 2 })
})

function setUpSlow() {
  const { cache, changes } = setUp()
  const reads: PromiseWithResolvers<{ reads: number } | undefined>[] = []
  const read = () => {
    const each = Promise.withResolvers<{ reads: number } | undefined>()
    reads.push(each)
    return each.promise
  }
  const respond = async (i: number, value: { reads: number } | undefined | Error) => {
    if (value instanceof Error) reads[i]?.reject(value)
    else reads[i]?.resolve(value)
    await new Promise(setImmediate)
  }
  return { changes, reads, response: respond, ask: () => cache.get('a', read) }
}

test('who asks for what is being read shares it, and reads for himself what that did not find, or began before a change', async () => {
  const { changes, reads, response: respond, ask } = setUpSlow()
  const [first, second] = [ask(), ask()]
  await respond(0, { reads: 1 })
  expect([await first, await second]).toEqual([{ reads: 1 }, { reads: 1 }])
  expect(reads).toHaveLength(1)

  changes.notify(changedWord)
  const [third, fourth] = [ask(), ask()]
  await respond(1, undefined)
  expect(await third).toBeUndefined()
  await respond(2, { reads: 3 })
  expect(await fourth).toEqual({ reads: 3 })

  changes.notify(changedWord)
  const before = ask()
  changes.notify(changedWord)
  const after = ask()
  await respond(3, { reads: 4 })
  await respond(4, { reads: 5 })
  expect([await before, await after]).toEqual([{ reads: 4 }, { reads: 5 }])
})

test('an outage is told to all who wait for a read', async () => {
  const { reads, response: respond, ask } = setUpSlow()
  const asked = [ask(), ask()].map((each) => expect(each).rejects.toThrow('away'))
  await respond(0, new Outage('datastore', 'away'))
  await Promise.all(asked)
  expect(reads).toHaveLength(1)
})

test('a clock that is put back keeps nothing alive', async () => {
  const { ask, jump } = setUp()
  await ask()
  jump(-1)
  expect(await ask()).toEqual({ reads: 2 })
})

test('a change drops everything at once, and other notifications nothing', async () => {
  const { ask, changes } = setUp()
  await ask()
  for (const word of [...endedChanges(['a']), 'of another release']) changes.notify(word)
  expect(await ask()).toEqual({ reads: 1 })
  changes.notify(changedWord)
  expect(await ask()).toEqual({ reads: 2 })
})

test('what is read while its rows change is used once and not kept', async () => {
  const { cache, changes, ask } = setUp()
  const old = await cache.get('a', async () => {
    changes.notify(changedWord)
    return { reads: 0 }
  })
  expect(old).toEqual({ reads: 0 })
  expect(await ask()).toEqual({ reads: 1 })
})

test('what is not found is looked for each time', async () => {
  const { cache, ask } = setUp()
  expect(await cache.get('a', async () => undefined)).toBeUndefined()
  expect(await ask()).toEqual({ reads: 1 })
})

test('a statement’s text says whether it writes what is cached', () => {
  expect(writesCached('UPDATE api_key SET revoked_at = $1 WHERE merchant = $2')).toBe(true)
  expect(writesCached('WITH a AS (INSERT INTO split (merchant) VALUES ($1)) SELECT')).toBe(true)
  expect(writesCached('SELECT * FROM api_key')).toBe(false)
  expect(writesCached('INSERT INTO split_address (merchant) VALUES ($1)')).toBe(false)
})
