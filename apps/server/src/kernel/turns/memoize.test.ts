import { describe, expect, test } from 'vitest'
import { memoize } from './memoize.ts'

describe('remember', () => {
  test('reads once for all who ask, together or later', async () => {
    let readings = 0
    const ask = memoize(async () => ++readings)
    expect(await Promise.all([ask(), ask()])).toEqual([1, 1])
    expect(await ask()).toBe(1)
  })

  test('reads again after a reading that failed, which all who waited for it hear of', async () => {
    let readings = 0
    const ask = memoize(async () => {
      readings++
      if (readings === 1) throw new Error('away')
      return readings
    })
    const first = await Promise.allSettled([ask(), ask()])
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await ask()).toBe(2)
    expect(await ask()).toBe(2)
  })

  test('remembers that there is nothing', async () => {
    let readings = 0
    const ask = memoize(async () => {
      readings++
      return undefined
    })
    await ask()
    await ask()
    expect(readings).toBe(1)
  })
})
