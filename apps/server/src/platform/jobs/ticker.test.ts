import { beforeEach, expect, test } from 'vitest'
import { settle, TestClock } from '../../../test/support/test-clock.ts'
import { makeLog } from '../log.ts'
import { type Job, type RoundOutcome, Ticker } from './ticker.ts'

const log = makeLog('silent')
let clock: TestClock
beforeEach(() => {
  clock = new TestClock()
})

function heldJob(everyMs = 1_000) {
  const rounds: { end(outcome: RoundOutcome): void; signal: AbortSignal }[] = []
  const job: Job = {
    name: 'held',
    everyMs,
    run: (signal) => new Promise((resolve) => void rounds.push({ end: resolve, signal })),
  }
  const endLast = async (outcome: RoundOutcome = 'done') => {
    rounds.at(-1)?.end(outcome)
    await settle()
  }
  return { job, rounds, endLast }
}

function start(...jobs: Job[]) {
  const ticker = new Ticker({ clock, log }, jobs)
  ticker.start()
  return ticker
}

const jobOf = (name: string, everyMs: number, work: () => void): Job => ({
  name,
  everyMs,
  async run() {
    work()
    return 'done'
  },
})

test('a job runs at the start and then on its interval', async () => {
  let runs = 0
  const ticker = start(jobOf('count', 1_000, () => runs++))
  await settle()
  expect(runs).toBe(1)
  await clock.advance(999)
  expect(runs).toBe(1)
  await clock.advance(1)
  expect(runs).toBe(2)
  await ticker.stop()
  await clock.advance(10_000)
  expect(runs).toBe(2)
})

test('rounds of one job never overlap, however often it is nudged', async () => {
  const { job, rounds, endLast } = heldJob()
  const ticker = new Ticker({ clock, log }, [job])
  ticker.nudge('held')
  ticker.start()
  for (let i = 0; i < 5; i++) ticker.nudge('held')
  await clock.advance(5_000)
  expect(rounds).toHaveLength(1)
  await endLast()
  await clock.advance(0)
  expect(rounds).toHaveLength(2)
  await endLast()
  await clock.advance(0)
  expect(rounds).toHaveLength(2)
})

test('a nudge during a round is not lost: another round follows at once', async () => {
  const { job, rounds, endLast } = heldJob()
  const ticker = start(job)
  ticker.nudge('held')
  await endLast()
  await clock.advance(0)
  expect(rounds).toHaveLength(2)
})

test('more work follows at once, and a round can ask to be woken early', async () => {
  const { job, rounds, endLast } = heldJob()
  start(job)
  await endLast('again')
  await clock.advance(0)
  expect(rounds).toHaveLength(2)
  await endLast({ wakeInMs: 300 })
  await clock.advance(299)
  expect(rounds).toHaveLength(2)
  await clock.advance(1)
  expect(rounds).toHaveLength(3)
})

test('a round that throws is tried at the next interval and disturbs no other job', async () => {
  let failures = 0
  let successes = 0
  const fails = jobOf('fails', 100, () => {
    failures++
    throw new Error('no')
  })
  const works = jobOf('works', 100, () => successes++)
  const ticker = start(fails, works)
  await clock.advance(1_000)
  expect([failures, successes]).toEqual([11, 11])
  await ticker.stop()
})

test('stopping waits for the round under way, tells it so, and starts no other', async () => {
  const { job, rounds, endLast } = heldJob()
  const ticker = start(job)
  let isStopped = false
  const stopping = ticker.stop().then(() => {
    isStopped = true
  })
  await settle()
  expect(rounds[0]?.signal.aborted).toBe(true)
  expect(isStopped).toBe(false)
  ticker.nudge('held')
  await endLast('again')
  await stopping
  await clock.advance(10_000)
  expect(rounds).toHaveLength(1)
  expect(clock.timerCount).toBe(0)
})

test('a nudge for a job nobody knows is ignored', () =>
  expect(() => new Ticker({ clock, log }, []).nudge('of another release')).not.toThrow())

test('rounds that fail for one reason are said once, with its stack, and so is that they succeed again', async () => {
  const lines: { msg: string; alert?: string; err?: { stack: string } }[] = []
  const listening = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  let error: string | undefined = 'the first reason'
  const job = jobOf('failing', 100, () => {
    if (error) throw new Error(error)
  })
  const ticker = new Ticker({ clock, log: listening }, [job])
  ticker.start()
  for (let round = 0; round < 50; round++) await clock.advance(100)
  error = 'another reason'
  for (let round = 0; round < 50; round++) await clock.advance(100)
  error = undefined
  for (let round = 0; round < 50; round++) await clock.advance(100)
  await ticker.stop()
  expect(lines.map(({ alert, err, msg }) => [alert, err?.stack.split('\n')[0] ?? msg])).toEqual([
    ['job-fails', 'Error: the first reason'],
    ['job-fails', 'Error: another reason'],
    [undefined, 'a job succeeds again'],
  ])
})
