import type { UnixMs } from '@sluice/protocol/time.ts'
import { beforeEach, expect, test } from 'vitest'
import { TestClock } from '../../test/support/test-clock.ts'
import { makeLog } from '../platform/log.ts'
import { ChainTime } from './chain-time.ts'

const dayMs = 24 * 3_600_000
let clock: TestClock
let time: ChainTime
let logged: string[]
let chainAt: number
let number: bigint

beforeEach(() => {
  clock = new TestClock()
  logged = []
  const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) })
  time = new ChainTime({ clock, log })
  chainAt = clock.now()
  number = 100n
})

async function look(ms: number, isNew = true): Promise<void> {
  await clock.advance(ms)
  chainAt += ms
  if (isNew) number++
  time.note({ number, at: (isNew ? chainAt : chainAt - ms) as UnixMs })
}

test('where the two agree the time is the clock’s, also between blocks', async () => {
  await look(0)
  await look(2_000)
  await clock.advance(1_500)
  expect([time.now(), time.behindMs, time.isOff]).toEqual([clock.now(), 0, false])
})

test('a clock that is behind is corrected by the newest block, and by more than a minute it is off', async () => {
  await look(0)
  clock.jumpTo(clock.now() - 30_000)
  await look(2_000)
  expect([time.now(), time.isOff]).toEqual([chainAt, false])
  clock.jumpTo(clock.now() - dayMs)
  await look(2_000)
  expect([time.now(), time.isOff]).toEqual([chainAt, true])
  expect(() => time.refuseIfOff()).toThrow("clock differs from the chain's")
})

test('a clock that is ahead is corrected from the first block that comes while it is looked for', async () => {
  await look(0)
  clock.jumpTo(clock.now() + dayMs)
  await look(2_000)
  expect(time.isOff, 'a first look after a pause says nothing').toBe(false)
  await look(2_000)
  expect([time.now(), time.behindMs, time.isOff]).toEqual([chainAt, -dayMs, true])
  await clock.advance(1_000)
  expect(time.now()).toBe(chainAt + 1_000)
})

test('a chain on which nothing happens for a day says nothing of the clock, and its next block is none of yesterday', async () => {
  await look(0)
  for (let hour = 0; hour < 24; hour++) {
    await clock.advance(3_600_000)
    time.note({ number, at: chainAt as UnixMs })
  }
  expect([time.now(), time.isOff]).toEqual([clock.now(), false])
  chainAt = clock.now()
  await look(500)
  expect(time.isOff).toBe(false)
})

test('a clock that is set right is right at once, and each turn of it is said once', async () => {
  await look(0)
  clock.jumpTo(clock.now() + dayMs)
  for (let i = 0; i < 5; i++) await look(2_000)
  expect(time.isOff).toBe(true)
  clock.jumpTo(clock.now() - dayMs)
  expect([time.isOff, time.now()]).toEqual([false, clock.now()])
  for (let i = 0; i < 5; i++) await look(2_000)
  expect(logged).toEqual([
    "This service's clock differs from the chain's by more than a minute",
    'the clock and the chain agree again',
  ])
})
