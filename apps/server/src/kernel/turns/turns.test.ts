import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

/** Lines in which every job says when it begins and ends when it is told. */
function watchedTurns() {
  const turns = new Turns()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const add = (line: string, name: string, most = 1_000, isGone = () => false) =>
    turns.add(line, most, {
      isGone,
      begin(done) {
        begun.push(name)
        ends.push(done)
      },
    })
  const settle = async () => {
    for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve))
  }
  return { turns, begun, ends, add, settle }
}

test('whoever brings one waits for one of each other, not for all that they brought before', async () => {
  const { begun, add, settle } = watchedTurns()
  for (let i = 0; i < 500; i++) add('loud', `loud ${i}`)
  add('quiet', 'quiet')
  await settle()
  expect(begun.indexOf('quiet')).toBeLessThanOrEqual(1)
  expect(begun).toHaveLength(501)
})

test('no more of a line than it may have are under way, and each one that ends makes room', async () => {
  const { begun, ends, add, settle, turns } = watchedTurns()
  for (let i = 0; i < 10; i++) add('a', `${i}`, 4)
  await settle()
  expect(begun).toEqual(['0', '1', '2', '3'])
  ends[1]?.()
  ends[1]?.()
  await settle()
  expect(begun).toEqual(['0', '1', '2', '3', '4'])
  for (let i = 0; i < 10; i++) {
    ends[i]?.()
    await settle()
  }
  expect(begun).toHaveLength(10)
  expect(turns.lineCount).toBe(0)
})

test('who has gone away is passed over', async () => {
  const { begun, add, settle } = watchedTurns()
  add('a', 'first', 1)
  add('a', 'gone', 1, () => true)
  add('b', 'other', 1)
  await settle()
  expect(begun).toEqual(['first', 'other'])
})

test('what is begun runs within nothing of whoever brought it or ended before it', async () => {
  const { turns, settle } = watchedTurns()
  const within = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  const job = {
    isGone: () => false,
    begin(done: () => void) {
      seen.push(within.getStore())
      within.run('a transaction', () => setImmediate(done))
    },
  }
  const add = () => turns.add('a', 1, job)
  within.run('who brought it', add)
  within.run('who brought it', add)
  await settle()
  expect(seen).toEqual([undefined, undefined])
})
