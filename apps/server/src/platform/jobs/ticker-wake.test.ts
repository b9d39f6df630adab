import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../log.ts'
import { type Job, type RoundOutcome, Ticker } from './ticker.ts'

function begin(outcomes: (RoundOutcome | Error)[], more: Partial<Job> = {}) {
  const clock = new TestClock()
  const start = clock.now()
  const runs: number[] = []
  const job: Job = {
    name: 'job',
    everyMs: 1_000,
    async run() {
      runs.push(clock.now() - start)
      const outcome = outcomes[runs.length - 1] ?? 'done'
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    ...more,
  }
  const ticker = new Ticker({ clock, log: makeLog('silent') }, [job])
  ticker.start()
  return { clock, ticker, runs }
}

test('a round may ask for the next one at once or at its own time, never later than the interval', async () => {
  const { clock, runs } = begin(['again', { wakeInMs: 300 }, { wakeInMs: -5 }, { wakeInMs: 9_999 }])
  await clock.advance(1_300)
  expect(runs).toEqual([0, 0, 300, 300, 1_300])
})

test('a job nudges itself by what it is attached to, and stopping waits for what it left under way', async () => {
  let nudge = () => {}
  let isDrained = false
  const drained = Promise.withResolvers<void>()
  const { clock, ticker, runs } = begin([], {
    attach: (own) => {
      nudge = own
    },
    drain: () => drained.promise,
  })
  await clock.advance(10)
  nudge()
  expect(runs).toEqual([0, 10])
  const stopped = ticker.stop().then(() => expect(isDrained).toBe(true))
  await clock.advance(5_000)
  nudge()
  isDrained = true
  drained.resolve()
  await stopped
  expect(runs).toEqual([0, 10])
})
