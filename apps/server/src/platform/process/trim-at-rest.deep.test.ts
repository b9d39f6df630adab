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

test('a pause of a load is not taken for its end: whoever comes back is not held up', async () => {
  const { state, pass } = makeProcess()
  await pass(60)
  for (const utilization of [0.6, 0.03, 0.6, 0.03, 0.2]) {
    Object.assign(state, { utilization, heapBytes: 200 * mb })
    await pass(20)
  }
  expect(state).toMatchObject({ collections: 1, growths: [150, 0, 150] })
})

test('whoever is asked now and then is not held up for it more often than every ten minutes', async () => {
  const { state, pass } = makeProcess()
  await pass(60)
  for (let minute = 0; minute < 9; minute++) {
    Object.assign(state, { utilization: minute % 3 === 0 ? 0.6 : 0.05, heapBytes: 60 * mb })
    await pass(1)
    state.utilization = 0.05
    await pass(59)
  }
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

test('old data may double before it is collected, from the start and within a second of each load, until there is rest', async () => {
  const { state, pass } = makeProcess()
  expect(state.growths).toEqual([150])
  await pass(60)
  expect(state.growths).toEqual([150, 0])
  state.utilization = 0.6
  await pass(1)
  expect(state.growths).toEqual([150, 0, 150])
  state.utilization = 0.2
  await pass(60)
  expect(state.growths, 'neither busy nor at rest').toEqual([150, 0, 150])
  state.utilization = 0.03
  await pass(60)
  expect(state.growths).toEqual([150, 0, 150, 0])
})

const trimUrl = JSON.stringify(fileURLToPath(new URL('./trim-at-rest.ts', import.meta.url)))

/** What a process of its own says. */
function runProcess(program: string, options: readonly string[] = []): string {
  return execFileSync(process.execPath, [...options, '--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
  })
}

test('V8 keeps to the growth it is given after the start', () => {
  const countCollections = (begin: string) => {
    const program = `
      const { PerformanceObserver, constants } = await import('node:perf_hooks')
      ${begin}
      let collections = 0
      const count = (list) => {
        for (const { detail } of list.getEntries()) collections += detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
      }
      new PerformanceObserver(count).observe({ entryTypes: ['gc'] })
      const kept = []
      for (let n = 0; n < 4_000_000; n++) {
        kept[n % 300_000] = { n, more: [n, n + 1, n + 2] }
        if (n % 10_000 === 0) await new Promise(setImmediate)
      }
      console.log(collections)`
    return Number(runProcess(program, ['--heap-growing-percent=20']))
  }
  const untouched = countCollections('')
  const trimmed = countCollections(`
    const { trimAtRest } = await import(${trimUrl})
    trimAtRest({ now: () => 0, after: () => () => {} })`)
  expect(trimmed).toBeGreaterThan(0)
  expect(trimmed).toBeLessThan(untouched * 0.7)
})

test('a process that made much garbage holds less afterwards', () => {
  const program = `
    const { trimAtRest } = await import(${trimUrl})
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
  expect(runProcess(program)).toBe('holds less\n')
})
