import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import { Changes, changesOf } from './changes.ts'
import { Facts } from './facts.ts'

function setUp() {
  let now = 1_000
  let reads = 0
  const clock: Clock = { now: () => now as UnixMs, after: () => () => {} }
  const changes = new Changes()
  const facts = new Facts<{ reads: number }>({ clock, changes }, ['keys'])
  const ask = () => facts.get('a', async () => ({ reads: ++reads }))
  return { facts, changes, ask, jump: (ms: number) => (now += ms) }
}

test('a fact is read once, and again when it is 800 ms old', async () => {
  const { ask, jump } = setUp()
  expect([await ask(), await ask()]).toEqual([{ reads: 1 }, { reads: 1 }])
  jump(799)
  expect(await ask()).toEqual({ reads: 1 })
  jump(1)
  expect(await ask()).toEqual({ reads: 2 })
})

/** Reads of which each ends when it is told to. */
function setUpSlow() {
  const { facts, changes, jump } = setUp()
  const reads: PromiseWithResolvers<{ reads: number } | undefined>[] = []
  const read = () => {
    const each = Promise.withResolvers<{ reads: number } | undefined>()
    reads.push(each)
    return each.promise
  }
  const answer = async (i: number, value: { reads: number } | undefined | Error) => {
    if (value instanceof Error) reads[i]?.reject(value)
    else reads[i]?.resolve(value)
    await new Promise(setImmediate)
  }
  return { facts, changes, jump, reads, read, answer, ask: () => facts.get('a', read) }
}

test('what is asked for all the time is read anew before it is too old, once, while what is known is given', async () => {
  const { facts, jump, reads, read, answer, ask } = setUpSlow()
  void ask()
  await answer(0, { reads: 1 })
  jump(499)
  expect(await ask()).toEqual({ reads: 1 })
  expect(reads).toHaveLength(1)
  jump(1)
  expect([await ask(), await ask()]).toEqual([{ reads: 1 }, { reads: 1 }])
  facts.renew('a', read)
  expect(reads).toHaveLength(2)
  jump(200)
  await answer(1, { reads: 2 })
  expect(facts.peek('a')).toEqual({ reads: 2 })
  // Counted from before it was read.
  jump(599)
  expect(facts.peek('a')).toEqual({ reads: 2 })
  jump(1)
  expect(facts.peek('a')).toBeUndefined()
})

test('what is gone when it is read anew is no longer known, nor is what is refused; an outage leaves it until it is too old', async () => {
  for (const outcome of [undefined, new Error('revoked')]) {
    const { facts, jump, answer, ask } = setUpSlow()
    void ask()
    await answer(0, { reads: 1 })
    jump(500)
    await ask()
    await answer(1, outcome)
    expect(facts.peek('a')).toBeUndefined()
  }
  const { facts, jump, reads, answer, ask } = setUpSlow()
  void ask()
  await answer(0, { reads: 1 })
  jump(500)
  await ask()
  await answer(1, new Outage('datastore', 'away'))
  expect(await ask()).toEqual({ reads: 1 })
  expect(reads).toHaveLength(2)
  jump(300)
  expect(facts.peek('a')).toBeUndefined()
})

test('who asks for what is being read shares it, and reads for himself what that did not find, or began before a change', async () => {
  const { changes, reads, answer, ask } = setUpSlow()
  const [first, second] = [ask(), ask()]
  await answer(0, { reads: 1 })
  expect([await first, await second]).toEqual([{ reads: 1 }, { reads: 1 }])
  expect(reads).toHaveLength(1)

  changes.tell('keys')
  const [third, fourth] = [ask(), ask()]
  await answer(1, undefined)
  expect(await third).toBeUndefined()
  await answer(2, { reads: 3 })
  expect(await fourth).toEqual({ reads: 3 })

  changes.tell('keys')
  const before = ask()
  changes.tell('keys')
  const after = ask()
  await answer(3, { reads: 4 })
  await answer(4, { reads: 5 })
  expect([await before, await after]).toEqual([{ reads: 4 }, { reads: 5 }])
})

test('an outage is told to all who wait for a read', async () => {
  const { reads, answer, ask } = setUpSlow()
  const asked = [ask(), ask()].map((each) => expect(each).rejects.toThrow('away'))
  await answer(0, new Outage('datastore', 'away'))
  await Promise.all(asked)
  expect(reads).toHaveLength(1)
})

test('a clock that is put back keeps nothing alive', async () => {
  const { ask, jump } = setUp()
  await ask()
  jump(-1)
  expect(await ask()).toEqual({ reads: 2 })
})

test('a change of its kind ends a fact at once, and another kind leaves it', async () => {
  const { ask, changes } = setUp()
  await ask()
  changes.tell('splits')
  changes.tell('no kind at all')
  expect(await ask()).toEqual({ reads: 1 })
  changes.tell('keys')
  expect(await ask()).toEqual({ reads: 2 })
})

test('what is read while its rows change is used once and not kept', async () => {
  const { facts, changes, ask } = setUp()
  const old = await facts.get('a', async () => {
    changes.tell('keys')
    return { reads: 0 }
  })
  expect(old).toEqual({ reads: 0 })
  expect(await ask()).toEqual({ reads: 1 })
})

test('what is not found is looked for each time', async () => {
  const { facts, ask } = setUp()
  expect(await facts.get('a', async () => undefined)).toBeUndefined()
  expect(await ask()).toEqual({ reads: 1 })
})

test('a statement’s text says what it changes', () => {
  expect(changesOf('UPDATE api_key SET revoked_at = $1 WHERE merchant = $2')).toEqual(['keys'])
  expect(
    changesOf('WITH a AS (INSERT INTO split (merchant) VALUES ($1)) UPDATE  shop SET name = $2'),
  ).toEqual(['splits', 'shops'])
  expect(changesOf('SELECT * FROM api_key')).toEqual([])
  expect(changesOf('INSERT INTO split_address (merchant) VALUES ($1)')).toEqual([])
})
