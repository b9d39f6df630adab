import { describe, expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { Changes, endedChanges } from '../../platform/cache/changes.ts'
import { DatastoreAway } from '../../platform/database/degraded.ts'
import { RecentlyVerified } from './recent-callers.ts'

const gone = async (): Promise<never> => {
  throw new DatastoreAway('connect ECONNREFUSED')
}

function open() {
  const clock = new TestClock()
  const changes = new Changes()
  changes.hear(true)
  const ended = new Set<string>()
  const datastore = { isAway: false }
  const recentCallers = new RecentlyVerified<{ id: string }>(
    { clock, changes },
    {
      idsOf: ({ id }) => [id],
      findEnded: async (values) =>
        datastore.isAway ? gone() : new Set(values.filter(({ id }) => ended.has(id))),
    },
  )
  return { clock, changes, ended, datastore, recentCallers }
}

async function known() {
  const opened = open()
  await opened.recentCallers.through('a', async () => ({ id: 'a' }))
  return opened
}

test('while the datastore is away a credential verified in the last five minutes still counts', async () => {
  const { clock, recentCallers } = await known()
  await clock.advance(4 * 60_000)
  expect(await recentCallers.through('a', gone)).toEqual({ id: 'a' })
  await clock.advance(60_000)
  await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
})

test('one that was never verified here does not', () =>
  expect(open().recentCallers.through('b', gone)).rejects.toThrow('connect'))

test('a revocation seen while the datastore answered is not forgotten', async () => {
  const { recentCallers } = await known()
  expect(await recentCallers.through('a', async () => undefined)).toBeUndefined()
  await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
})

test('one that was refused while the datastore answered is let in no more when it is away', async () => {
  const { recentCallers } = await known()
  const refused = recentCallers.through('a', async () => Promise.reject(new Error('revoked')))
  await expect(refused).rejects.toThrow('revoked')
  await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
})

test('a clock that was set back makes nothing last longer', async () => {
  const { clock, recentCallers } = await known()
  clock.jumpTo(clock.now() - 86_400_000)
  await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
})

test('a fault that is no outage is told, whatever was known', async () => {
  const { recentCallers } = await known()
  const failing = recentCallers.through('a', async () => Promise.reject(new Error('a bug')))
  await expect(failing).rejects.toThrow('a bug')
})

test('a request that began before another was verified, and failed after it, is let in too', async () => {
  const { clock, recentCallers } = open()
  const slow = Promise.withResolvers<never>()
  const early = recentCallers.through('key', () => slow.promise)
  await clock.advance(5)
  await recentCallers.through('key', async () => ({ id: 'known' }))
  slow.reject(new DatastoreAway('connect ECONNREFUSED'))
  expect(await early).toEqual({ id: 'known' })
})

test('one that has ended is let in no more when the datastore is away, and all others are', async () => {
  const { changes, recentCallers } = await known()
  await recentCallers.through('b', async () => ({ id: 'b' }))
  for (const message of endedChanges(['a', 'c'])) changes.notify(message)
  expect([recentCallers.recall('a')?.id, recentCallers.recall('b')?.id]).toEqual([undefined, 'b'])
  await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
  expect(await recentCallers.through('b', gone)).toEqual({ id: 'b' })
})

test('one that ended while it was being verified is not kept', async () => {
  const { changes, recentCallers } = open()
  await recentCallers.through('a', async () => {
    for (const message of endedChanges(['a'])) changes.notify(message)
    return { id: 'a' }
  })
  await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
})

test('one is known by the names it has from now on too', async () => {
  const { recentCallers } = open()
  await recentCallers.through(
    'old',
    async () => ({ id: 'a' }),
    () => ['new'],
  )
  expect(await recentCallers.through('new', gone)).toEqual({ id: 'a' })
})

describe('while other processes cannot be heard', () => {
  const b = async () => ({ id: 'b' })

  test('an outage that ends the hearing too leaves everybody good, whatever is refused meanwhile', async () => {
    const { clock, changes, recentCallers } = await known()
    changes.hear(false)
    await clock.advance(2 * 60_000)
    const refused = recentCallers.through('c', async () => Promise.reject(new Error('no key')))
    await expect(refused).rejects.toThrow('no key')
    changes.hear(false)
    expect(await recentCallers.through('a', gone)).toEqual({ id: 'a' })
  })

  test('one that was ended is good for nothing in an outage after they are heard again, and all others are', async () => {
    const { changes, ended, recentCallers } = await known()
    await recentCallers.through('b', b)
    changes.hear(false)
    ended.add('a')
    changes.hear(true)
    await expect.poll(() => recentCallers.recall('a')?.id, { interval: 1 }).toBe(undefined)
    await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
    expect(await recentCallers.through('b', gone)).toEqual({ id: 'b' })
  })

  test('nobody is good in the next outage who could not be looked up before it', async () => {
    const { changes, datastore, recentCallers } = await known()
    const early = Promise.withResolvers<{ id: string }>()
    const asked = recentCallers.through('early', () => early.promise)
    changes.hear(false)
    datastore.isAway = true
    changes.hear(true)
    early.resolve({ id: 'early' })
    await asked
    await expect.poll(() => recentCallers.recall('a')?.id, { interval: 1 }).toBe(undefined)
    for (const key of ['a', 'early'])
      await expect(recentCallers.through(key, gone)).rejects.toThrow('connect')
    await recentCallers.through('b', b)
    expect(await recentCallers.through('b', gone)).toEqual({ id: 'b' })
  })

  test('and the datastore answers, one is good only who was verified in the last second before that', async () => {
    const { clock, changes, recentCallers } = await known()
    changes.hear(false)
    await clock.advance(1_001)
    await recentCallers.through('b', b)
    await expect(recentCallers.through('a', gone)).rejects.toThrow('connect')
    expect(await recentCallers.through('b', gone)).toEqual({ id: 'b' })
  })
})
