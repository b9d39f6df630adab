import { afterAll, beforeAll } from 'vitest'

/** What ends a thing, of whatever kind: a service, a server, a database, a folder. */
type Ending = 'stop' | 'close' | 'drop' | 'remove'

/**
 * What all tests of a file share: started before the first, ended after the last.
 *
 * The result stands for what `start` makes, from the first hook on; it can be passed on, compared and printed like it.
 * Hooks run in the order of these calls, so that `start` may use what an earlier call made.
 *
 * @param timeoutMs - How long `start` may take, where the project's limit for hooks is too short.
 */
export function perFile<T extends object>(start: () => T | Promise<T>, timeoutMs?: number): T {
  let made: T | undefined
  beforeAll(async () => {
    made = await start()
  }, timeoutMs)
  afterAll(async () => {
    const { stop, close, drop, remove } = (made ?? {}) as Partial<Record<Ending, () => unknown>>
    await (stop ?? close ?? drop ?? remove)?.call(made)
  })
  const get = (): T => {
    if (!made) throw new Error('it is used before the first test of the file')
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
