import { expect, test } from 'vitest'
import { FairSlots } from './fair-slots.ts'

function watchedSlots(limits: {
  atOnce?: number
  atOnceEach?: number
  waiting?: number
  waitingEach?: number
}) {
  const slots = new FairSlots({ atOnce: 2, atOnceEach: 1, waiting: 100, waitingEach: 50, ...limits })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const add = (owner: string, name: string) =>
    slots.run(owner, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    for (let i = 0; i < 5; i++) await Promise.resolve()
  }
  return { begun, add, end }
}

test('owners who wait are taken in turns, whoever brought how much', async () => {
  const { begun, add, end } = watchedSlots({ atOnce: 1 })
  for (const name of ['a1', 'a2', 'a3']) void add('a', name)
  for (const name of ['b1', 'b2']) void add('b', name)
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
})

test('no owner has more at once than it may, though places are free', async () => {
  const { begun, add, end } = watchedSlots({})
  void add('a', 'a1')
  void add('a', 'a2')
  void add('b', 'b1')
  expect(begun).toEqual(['a1', 'b1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'b1', 'a2'])
})

test('who finds the line full is sent away, and others are not', async () => {
  const { begun, add, end } = watchedSlots({ atOnce: 1, waitingEach: 1 })
  void add('a', 'a1')
  void add('a', 'a2')
  await expect(add('a', 'a3')).resolves.toBe('full')
  void add('b', 'b1')
  await end('a1')
  await end('a2')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
})

test('a place whose work fails is free again', async () => {
  const slots = new FairSlots({ atOnce: 1, atOnceEach: 1, waiting: 1, waitingEach: 1 })
  await expect(slots.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await expect(slots.run('a', async () => 'fine')).resolves.toBe('fine')
})
