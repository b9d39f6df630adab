import { expect, onTestFinished, test, vi } from 'vitest'
import { Outage } from '../outage.ts'
import { Batches } from './batches.ts'

class Away extends Outage {
  constructor() {
    super('datastore', 'away')
  }
}

/** Doubles numbers; a batch with a negative one in it fails, and so does that one alone. */
function setUp(options: { fail?: Error } = {}) {
  const batches: string[][] = []
  const alone: string[] = []
  let release = () => {}
  let held: Promise<void> | undefined
  const double = (item: string) => {
    if (item.startsWith('-')) throw new Error(`no ${item}`)
    return `${item}${item}`
  }
  const work = new Batches<string, string>({
    most: 4,
    atOnce: 1,
    keyOf: (item) => item.replace('!', ''),
    async together(items) {
      batches.push([...items])
      await held
      if (options.fail) throw options.fail
      return items.map(double)
    },
    async alone(item) {
      alone.push(item)
      await held
      return double(item)
    },
  })
  const hold = () => {
    held = new Promise((resolve) => {
      release = resolve
    })
  }
  return { work, batches, alone, hold, release: () => release() }
}

test('who asks alone is done alone', async () => {
  const { work, batches, alone } = setUp()
  expect(await work.do('a')).toBe('aa')
  expect([batches, alone]).toEqual([[], ['a']])
})

test('what comes while a batch is under way is done together, in its order, and each gets its own outcome', async () => {
  const { work, batches, hold, release } = setUp()
  hold()
  const first = work.do('a')
  await new Promise(setImmediate)
  const others = ['b', 'c', 'd', 'e', 'f', 'g'].map((item) => work.do(item))
  release()
  expect(await Promise.all([first, ...others])).toEqual(['aa', 'bb', 'cc', 'dd', 'ee', 'ff', 'gg'])
  expect(batches).toEqual([
    ['b', 'c', 'd', 'e'],
    ['f', 'g'],
  ])
})

test('items of one key are never in one batch', async () => {
  const { work, batches, alone } = setUp()
  const outcomes = await Promise.all(['a', 'b', 'a!'].map((item) => work.do(item)))
  expect(outcomes).toEqual(['aa', 'bb', 'a!a!'])
  expect([batches, alone]).toEqual([[['a', 'b']], ['a!']])
})

test('an item whose key is under way waits for it, and takes nobody else’s place', async () => {
  const begun: string[] = []
  const held = Promise.withResolvers<void>()
  const work = new Batches<string, string>({
    most: 4,
    atOnce: 2,
    keyOf: (item) => item.slice(0, 1),
    async together(items) {
      begun.push(items.join(' '))
      return items
    },
    async alone(item) {
      begun.push(item)
      if (item === 'a1') await held.promise
      return item
    },
  })
  const first = work.do('a1')
  await new Promise(setImmediate)
  const second = work.do('a2')
  expect(await work.do('b1')).toBe('b1')
  expect(await Promise.all(['b2', 'c1'].map((item) => work.do(item)))).toEqual(['b2', 'c1'])
  expect(begun).toEqual(['a1', 'b1', 'b2 c1'])
  held.resolve()
  expect(await Promise.all([first, second])).toEqual(['a1', 'a2'])
  expect(begun).toEqual(['a1', 'b1', 'b2 c1', 'a2'])
  await new Promise(setImmediate)
  expect(work.groupCount).toBe(0)
})

test('items of different groups are never in one batch, and none waits for another group', async () => {
  const batches: string[][] = []
  const held: (() => void)[] = []
  const work = new Batches<string, string>({
    most: 4,
    atOnce: 1,
    groupOf: (item) => item.slice(0, 1),
    async together(items) {
      batches.push([...items])
      if (items[0]?.startsWith('a')) await new Promise<void>((resolve) => held.push(resolve))
      return items
    },
    alone: async (item) => item,
  })
  const slow = ['a1', 'a2', 'a3'].map((item) => work.do(item))
  expect(await Promise.all(['b1', 'b1', 'b2'].map((item) => work.do(item)))).toEqual(['b1', 'b1', 'b2'])
  expect(batches).toEqual([
    ['a1', 'a2', 'a3'],
    ['b1', 'b1', 'b2'],
  ])
  for (const release of held) release()
  expect(await Promise.all(slow)).toEqual(['a1', 'a2', 'a3'])
  await new Promise(setImmediate)
  expect(work.groupCount).toBe(0)
})

test('an item that cannot be done fails alone', async () => {
  const { work } = setUp()
  const outcomes = await Promise.allSettled(['a', '-b', 'c'].map((item) => work.do(item)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { message: 'no -b' } })
})

test('an outage is everybody’s at once, and nothing is tried again', async () => {
  const { work, alone } = setUp({ fail: new Away() })
  const outcomes = await Promise.allSettled(['a', 'b'].map((item) => work.do(item)))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(alone).toEqual([])
})

test('another batch begins beside one only when those that wait have been patient', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const begun: string[] = []
  const held: (() => void)[] = []
  const work = new Batches<string, string>({
    most: 4,
    atOnce: 2,
    patienceMs: 10,
    together: (items) => hold(items.join(''), [...items]),
    alone: (item) => hold(item, item),
  })
  function hold<T>(name: string, outcome: T): Promise<T> {
    begun.push(name)
    return new Promise((resolve) => held.push(() => resolve(outcome)))
  }
  const first = work.do('a')
  await vi.waitFor(() => expect(begun).toEqual(['a']))
  const others = ['b', 'c'].map((item) => work.do(item))
  vi.advanceTimersByTime(9)
  await new Promise(setImmediate)
  expect(begun).toEqual(['a'])
  vi.advanceTimersByTime(1)
  await new Promise(setImmediate)
  expect(begun).toEqual(['a', 'bc'])
  const last = work.do('d')
  vi.advanceTimersByTime(100)
  await new Promise(setImmediate)
  expect(begun).toEqual(['a', 'bc'])
  for (const release of held.splice(0)) release()
  await new Promise(setImmediate)
  for (const release of held.splice(0)) release()
  expect(await Promise.all([first, ...others, last])).toEqual(['a', 'b', 'c', 'd'])
  expect(vi.getTimerCount()).toBe(0)
})

test('prompt ones take along what was asked in the same moment, and do not wait for the turn', async () => {
  const batches: string[][] = []
  const work = new Batches<string, string>({
    most: 4,
    atOnce: 1,
    isPrompt: true,
    together: async (items) => {
      batches.push([...items])
      return items
    },
    alone: async (item) => item,
  })
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  expect(await Promise.all(['a', 'b'].map((item) => work.do(item)))).toEqual(['a', 'b'])
  expect([batches, hasTurned]).toEqual([[['a', 'b']], false])
})
