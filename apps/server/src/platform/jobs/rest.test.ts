import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { Changes } from '../facts/changes.ts'
import { recordRead, WrittenTables } from '../facts/written-tables.ts'
import { makeLog } from '../log.ts'
import { longestRestMs, Rest } from './rest.ts'
import { type Job, type RoundOutcome, Ticker } from './ticker.ts'

/** A job on a ticker that reads the table `queue`; `rounds` says when each of its rounds was, in seconds. */
function setUp(outcome: () => RoundOutcome, more: Partial<Job> = {}) {
  const clock = new TestClock()
  const begin = clock.now()
  const changes = new Changes()
  changes.written.hear(true)
  const rounds: number[] = []
  const job: Job = {
    name: 'job',
    everyMs: 1_000,
    async run(_signal, isResting) {
      recordRead({ name: 'test-read-queue', text: 'SELECT * FROM queue' })
      if (!isResting) rounds.push((clock.now() - begin) / 1_000)
      return isResting ? 'still' : outcome()
    },
    ...more,
  }
  const ticker = new Ticker({ clock, log: makeLog('silent'), changes }, [job])
  ticker.start()
  return { clock, changes, ticker, rounds }
}

test('a job with nothing to do is not run until its fall-back interval is over', async () => {
  const { clock, rounds } = setUp(() => 'rest')
  await clock.advance(2 * longestRestMs)
  expect(rounds).toEqual([0, longestRestMs / 1_000, (2 * longestRestMs) / 1_000])
})

test('it is run at its next interval once a table is written that it reads, here or elsewhere', async () => {
  const { clock, changes, rounds } = setUp(() => 'rest')
  await clock.advance(4_500)
  changes.written.note(['queue'])
  await clock.advance(4_000)
  changes.written.take('another-process queue')
  await clock.advance(1_000)
  changes.written.note(['other'])
  await clock.advance(5_000)
  expect(rounds).toEqual([0, 5, 9])
})

test('it is run at its time where that comes earlier, and at once when nudged', async () => {
  const { clock, ticker, rounds } = setUp(() => ({ restMs: 2_500 }))
  await clock.advance(3_000)
  ticker.nudge('job')
  await clock.advance(0)
  expect(rounds).toEqual([0, 2.5, 3])
})

test('while notifications are not heard it runs at its interval', async () => {
  const { clock, changes, rounds } = setUp(() => 'rest')
  await clock.advance(1_500)
  changes.written.hear(false)
  await clock.advance(3_000)
  changes.written.hear(true)
  await clock.advance(4_000)
  expect(rounds).toEqual([0, 2, 3, 4, 5])
})

test('a notification that is lost costs the fall-back interval, and not more', async () => {
  let queued = 0
  const served: number[] = []
  const { clock } = setUp(() => {
    if (queued === 0) return 'rest'
    queued = 0
    served.push(clock.now())
    return 'done'
  })
  await clock.advance(3_000)
  queued = 1
  const since = clock.now()
  await clock.advance(longestRestMs)
  expect(served).toHaveLength(1)
  expect((served[0] ?? 0) - since).toBeLessThanOrEqual(longestRestMs)
})

test('a job that looks while it rests is told so at each interval, and works again when what it reads is written', async () => {
  let looks = 0
  const { clock, changes, rounds } = setUp(() => 'rest', { looksWhileResting: true })
  const job = setUp(() => 'rest', {
    looksWhileResting: true,
    async run(_signal, isResting) {
      if (isResting) looks++
      return isResting ? 'still' : 'rest'
    },
  })
  await Promise.all([clock.advance(3_500), job.clock.advance(3_500)])
  expect([rounds, looks]).toEqual([[0], 3])
  changes.written.note(['queue'])
  await clock.advance(1_000)
  expect(rounds).toEqual([0, 4])
})

test('a job that fails does not rest', async () => {
  let count = 0
  const { clock, rounds } = setUp(() => {
    if (++count === 2) throw new Error('no')
    return 'rest'
  })
  await clock.advance(longestRestMs + 1_000)
  expect(rounds).toEqual([0, longestRestMs / 1_000, longestRestMs / 1_000 + 1])
})

test('a clock that is put back ends a rest', async () => {
  const clock = new TestClock()
  const written = new WrittenTables()
  written.hear(true)
  const rest = new Rest({ clock, written }, {})
  await rest.during(
    async () => {},
    () => 5_000,
  )
  await clock.advance(1_000)
  expect(rest.leftMs()).toBe(4_000)
  clock.jumpTo(clock.now() - 86_400_000)
  expect(rest.leftMs()).toBeUndefined()
})
