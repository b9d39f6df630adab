import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Ending = 'stop' | 'close' | 'drop' | 'remove'

/**
 * Shares an object between all tests of a file: created before the first test, ended after the last. The
 * returned proxy can be passed on, compared and printed from the first hook on. Hooks run in the order of
 * these calls, so that `start` may use the object of an earlier call.
 *
 * @param timeoutMs - Limit of `start`, if the project's limit for hooks is too short.
 */
export function perFile<T extends object>(start: () => T | Promise<T>, timeoutMs?: number): T {
  return share({ before: beforeAll, after: afterAll }, start, timeoutMs)
}

/** Shares an object like {@link perFile}, but creates a new one for each test. */
export function perCase<T extends object>(start: () => T | Promise<T>, timeoutMs?: number): T {
  return share({ before: beforeEach, after: afterEach }, start, timeoutMs)
}

type Hook = (work: () => Promise<void>, timeoutMs?: number) => void

function share<T extends object>(
  { before, after }: { before: Hook; after: Hook },
  start: () => T | Promise<T>,
  timeoutMs: number | undefined,
): T {
  let made: T | undefined
  before(async () => {
    made = await start()
  }, timeoutMs)
  after(async () => {
    const ended = made
    made = undefined
    const { stop, close, drop, remove } = (ended ?? {}) as Partial<Record<Ending, () => unknown>>
    await (stop ?? close ?? drop ?? remove)?.call(ended)
  })
  const get = (): T => {
    if (!made) throw new Error('it is used before it was started, or after its end')
    return made
  }
  return new Proxy({} as T, {
    get: (_, key) => {
      const value: unknown = Reflect.get(get(), key, get())
      return typeof value === 'function' ? value.bind(get()) : value
    },
    set: (_, key, value) => Reflect.set(get(), key, value, get()),
    has: (_, key) => Reflect.has(get(), key),
    ownKeys: () => Reflect.ownKeys(get()),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(get(), key)
      return found && { ...found, configurable: true }
    },
  })
}
