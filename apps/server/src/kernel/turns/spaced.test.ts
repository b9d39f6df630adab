import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { Spaced } from './spaced.ts'

function open() {
  const clock = new TestClock()
  const sent: number[] = []
  let fault: Error | undefined
  const spaced = new Spaced(clock, 50, async () => {
    if (fault) throw fault
    sent.push(clock.now())
  })
  const start = clock.now()
  const fail = (error?: Error) => {
    fault = error
  }
  return { clock, spaced, at: () => sent.map((at) => at - start), fail }
}

test('what is said now and then is said at once', async () => {
  const { clock, spaced, at } = open()
  await spaced.say()
  await clock.advance(60)
  await spaced.say()
  expect(at()).toEqual([0, 60])
})

test('what is said again and again is said at once, and then once in each interval, the last time included', async () => {
  const { clock, spaced, at } = open()
  for (let i = 0; i < 30; i++) {
    await spaced.say()
    await clock.advance(4)
  }
  await clock.advance(1_000)
  expect(at()).toEqual([0, 50, 100, 150])
})

test('a fault reaches who said it at once, and leaves the next one as it was', async () => {
  const { clock, spaced, at, fail } = open()
  fail(new Error('away'))
  await expect(spaced.say()).rejects.toThrow('away')
  await spaced.say()
  await clock.advance(50)
  expect(at()).toEqual([])
  fail()
  await spaced.say()
  await clock.advance(50)
  expect(at()).toEqual([100])
})

test('what is left is said when it closes', async () => {
  const { spaced, at } = open()
  await spaced.say()
  await spaced.say()
  await spaced.close()
  expect(at()).toEqual([0, 0])
})
