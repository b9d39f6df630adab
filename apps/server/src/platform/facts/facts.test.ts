import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
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
