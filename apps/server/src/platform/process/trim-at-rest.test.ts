import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { trimAtRest } from './trim-at-rest.ts'

const mb = 2 ** 20

/** A process whose load and heap a test sets; a collection leaves 30 MB. */
function makeProcess() {
  const clock = new TestClock()
  const state = { utilization: 0, heapBytes: 60 * mb, collections: 0, growths: [] as number[] }
  const cancel = trimAtRest(clock, {
    utilization: () => state.utilization,
    heapBytes: () => state.heapBytes,
    collect() {
      state.collections++
      state.heapBytes = 30 * mb
    },
    letGrow: (percent) => void state.growths.push(percent),
  })
  const pass = (seconds: number) => clock.advance(seconds * 1_000)
  return { state, pass, cancel }
}

test('memory is given back once after a start, and once after each load', async () => {
  const { state, pass } = makeProcess()
  await pass(60)
  expect(state.collections).toBe(1)
  Object.assign(state, { utilization: 0.6, heapBytes: 200 * mb })
  await pass(60)
  expect(state.collections).toBe(1)
  state.utilization = 0.03
  await pass(60)
  expect(state.collections).toBe(2)
})

test('whoever is asked now and then is not held up for it more often than every ten minutes', async () => {
  const { state, pass } = makeProcess()
  await pass(60)
  Object.assign(state, { utilization: 0.05, heapBytes: 60 * mb })
  await pass(500)
  expect(state.collections).toBe(1)
  await pass(60)
  expect(state.collections).toBe(2)
})

test('what has not grown is left alone, and nothing is done after the end', async () => {
  const { state, pass, cancel } = makeProcess()
  await pass(3_600)
  expect(state.collections).toBe(1)
  state.heapBytes = 100 * mb
  cancel()
  await pass(3_600)
  expect(state.collections).toBe(1)
})

test('old data may double under load before it is collected, until the load is over', async () => {
  const { state, pass } = makeProcess()
  await pass(60)
  expect(state.growths).toEqual([])
  state.utilization = 0.6
  await pass(60)
  expect(state.growths).toEqual([100])
  state.utilization = 0.2
  await pass(60)
  expect(state.growths, 'neither busy nor at rest').toEqual([100])
  state.utilization = 0.03
  await pass(60)
  expect(state.growths).toEqual([100, 0])
})

test('a process that made much garbage holds less afterwards', () => {
  const program = `
    const { trimAtRest } = await import(${JSON.stringify(fileURLToPath(new URL('./trim-at-rest.ts', import.meta.url)))})
    let kept = Array.from({ length: 800_000 }, (_, i) => ({ i }))
    const before = process.memoryUsage().rss
    kept = undefined
    let look
    trimAtRest({ now: () => Date.now(), after: (_, job) => { look = job; return () => {} } })
    while (process.memoryUsage().rss > before - ${20 * mb}) {
      look()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    console.log('holds less')`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(said).toBe('holds less\n')
})
