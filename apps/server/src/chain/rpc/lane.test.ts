import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { ChainUnavailable } from '../chain-time.ts'
import { openLane } from './lane.ts'

test('work begins when a socket is free for it, in the order it came', async () => {
  const lane = openLane(new TestClock())
  const begun: number[] = []
  const ends: (() => void)[] = []
  const all = Array.from({ length: 10 }, (_, i) =>
    lane(() => {
      begun.push(i)
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  await Promise.resolve()
  expect(begun).toEqual([0, 1, 2, 3])
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(all)
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('whoever waits too long, or behind too many, is told that the endpoint is busy', async () => {
  const clock = new TestClock()
  const lane = openLane(clock)
  const never = () => new Promise<never>(() => {})
  for (let i = 0; i < 4; i++) void lane(never)
  const waiting = Promise.allSettled(Array.from({ length: 1_000 }, () => lane(never)))
  await expect(lane(never)).rejects.toThrow(ChainUnavailable)
  await clock.advance(30_000)
  expect((await waiting).every(({ status }) => status === 'rejected')).toBe(true)
})

test('work that fails makes room as work that succeeds does', async () => {
  const lane = openLane(new TestClock())
  const failing = Array.from({ length: 9 }, () => lane(async () => Promise.reject(new Error('no'))))
  expect((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected')).toBe(true)
  expect(await lane(async () => 'done')).toBe('done')
})
