import { describe, expect, test } from 'vitest'
import { BreathingSpace } from './breathing-space.ts'

const unstopped = new AbortController().signal

/** A space whose time the test moves. */
function setUp() {
  let now = 1_000
  const space = new BreathingSpace(() => now)
  const pass = (ms: number) => {
    now += ms
  }
  /** A part of a look that takes so long. */
  const ask = (ms: number) => space.take(async () => pass(ms))
  return { space, pass, ask }
}

describe('the next look waits', () => {
  test('for nothing where there was none, or it took no time', async () => {
    const { space, ask } = setUp()
    expect(space.leftMs()).toBe(0)
    await space.begin(unstopped)
    await ask(0)
    expect(space.leftMs()).toBe(0)
  })

  test('three times as long as all parts of the last one took', async () => {
    const { space, pass, ask } = setUp()
    await ask(10)
    await ask(5)
    expect(space.leftMs()).toBe(45)
    pass(40)
    expect(space.leftMs()).toBe(5)
    await space.begin(unstopped)
    await ask(1)
    expect(space.leftMs()).toBe(3)
  })

  test('0.3 s at most, however long it took', async () => {
    const { space, ask } = setUp()
    await ask(5_000)
    expect(space.leftMs()).toBe(300)
  })

  test('also after a part that failed', async () => {
    const { space, pass } = setUp()
    const failing = space.take(async () => {
      pass(10)
      throw new Error('away')
    })
    await expect(failing).rejects.toThrow('away')
    expect(space.leftMs()).toBe(30)
  })

  test('no longer once the service stops', async () => {
    const { space, ask } = setUp()
    await ask(5_000)
    await space.begin(AbortSignal.abort())
    expect(space.leftMs()).toBe(0)
  })
})
