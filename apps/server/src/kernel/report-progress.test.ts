import { expect, test } from 'vitest'
import { reportProgress } from './report-progress.ts'
import { nextTurn } from './turns/semaphore.ts'

async function take<T>(source: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = []
  for await (const value of source) taken.push(value)
  return taken
}

test('gives each step that is taken in time, then the result', async () => {
  const steps = reportProgress<number, string>(async (report) => {
    for (const step of [1, 2, 3]) {
      report(step)
      await nextTurn()
    }
    return 'done'
  })
  expect(await take(steps)).toEqual([1, 2, 3, 'done'])
})

test('keeps only the newest of what is told at once', async () => {
  const steps = reportProgress<number, string>(async (report) => {
    for (const step of [1, 2, 3]) report(step)
    return 'done'
  })
  expect(await take(steps)).toEqual([3, 'done'])
})

test('throws last what the work throws', async () => {
  const steps = reportProgress<number, never>(async (report) => {
    report(1)
    await nextTurn()
    throw new Error('faulty')
  })
  expect((await steps.next()).value).toBe(1)
  await expect(steps.next()).rejects.toThrow('faulty')
})

test('goes on with work nobody follows any more', async () => {
  let isDone = false
  const steps = reportProgress<number, string>(async (report) => {
    report(1)
    await nextTurn()
    isDone = true
    throw new Error('heard by nobody')
  })
  await steps.next()
  await steps.return(undefined)
  await nextTurn()
  expect(isDone).toBe(true)
})
