import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { FairQueue, type Share } from './fair-queue.ts'

function watchedQueue(share: Share = { total: 1_000, least: 1_000 }) {
  const queue = new FairQueue(share)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const add = (subject: string, name: string, isGone = () => false) =>
    queue.add(subject, {
      isGone,
      begin(done) {
        begun.push(name)
        ends.push(done)
      },
    })
  const addMany = (subject: string, count: number) => {
    for (let i = 0; i < count; i++) add(subject, `${subject}${i}`)
  }
  const settle = async () => {
    for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  return { queue, begun, ends, add, addMany, settle }
}

test('a subject that brings one request waits for one of each other subject', async () => {
  const { begun, add, addMany, settle } = watchedQueue()
  addMany('loud', 500)
  add('quiet', 'quiet')
  await settle()
  expect(begun.indexOf('quiet')).toBeLessThanOrEqual(1)
  expect(begun).toHaveLength(501)
})

test('a subject that is alone uses the whole total, and each request that ends makes room', async () => {
  const { queue, begun, ends, addMany, settle } = watchedQueue({ total: 8, least: 2 })
  addMany('a', 10)
  await settle()
  expect(begun).toHaveLength(8)
  ends[1]?.()
  ends[1]?.()
  await settle()
  expect(begun).toHaveLength(9)
  for (let i = 0; i < 10; i++) {
    ends[i]?.()
    await settle()
  }
  expect(begun).toHaveLength(10)
  expect(queue.subjectCount).toBe(0)
})

test('subjects that compete run equal shares, and never less than the least', async () => {
  const { begun, ends, addMany, settle } = watchedQueue({ total: 8, least: 2 })
  addMany('a', 20)
  await settle()
  addMany('b', 20)
  await settle()
  const running = (subject: string) => begun.filter((name) => name.startsWith(subject)).length
  expect([running('a'), running('b')], 'b starts at once, though a has all of the total').toEqual([8, 4])
  for (const end of ends.slice(0, 4)) end()
  await settle()
  expect(running('a'), 'a starts nothing until it is below its share').toBe(8)
  ends[4]?.()
  await settle()
  expect(running('a')).toBe(9)
  for (let i = 0; i < 10; i++) addMany(`c${i}`, 5)
  await settle()
  for (let i = 0; i < 10; i++) expect(running(`c${i}`)).toBe(2)
})

test('a request whose client is gone is skipped', async () => {
  const { begun, add, settle } = watchedQueue({ total: 1, least: 1 })
  add('a', 'first')
  add('a', 'gone', () => true)
  add('b', 'other')
  await settle()
  expect(begun).toEqual(['first', 'other'])
})

test('a request starts outside the transaction of the request that queued it or ended before it', async () => {
  const { queue, settle } = watchedQueue({ total: 1, least: 1 })
  const within = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  const request = {
    isGone: () => false,
    begin(done: () => void) {
      seen.push(within.getStore())
      within.run('a transaction', () => setImmediate(done))
    },
  }
  const add = () => queue.add('a', request)
  within.run('the client', add)
  within.run('the client', add)
  await settle()
  expect(seen).toEqual([undefined, undefined])
})
