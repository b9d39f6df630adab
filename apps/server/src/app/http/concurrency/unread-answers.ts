import type { ServerResponse } from 'node:http'

const megabyte = 1024 * 1024

/** What answers that wait to be read may come to, and how long one waits while nothing of it is taken. */
export const unreadLimits = { bytes: 64 * megabyte, idleMs: 30_000 } as const

type Unread = { readonly name: string; readonly bytes: number; readonly response: ServerResponse }

/**
 * The answers that were given and that their callers have not read: what the operating system did not take of them is
 * held here, and nothing else ends a connection whose other side only waits.
 *
 * One of which nothing is taken for half a minute is cut off. Where all together come to more than 64 MB, the oldest
 * of whoever holds most go, so that nobody loses his for somebody else's.
 */
export class UnreadAnswers {
  readonly #limits: { readonly bytes: number; readonly idleMs: number }
  /** In the order they were given. */
  readonly #unread = new Set<Unread>()
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0

  constructor(limits: { bytes: number; idleMs: number } = unreadLimits) {
    this.#limits = limits
  }

  /** What they hold, as of when each was given. */
  get bytes(): number {
    return this.#bytes
  }

  /** Watches an answer from when it is whole. `name`: who asked. */
  watch(name: string, response: ServerResponse): void {
    response.once('prefinish', () => {
      const bytes = response.writableLength
      if (bytes === 0 || response.destroyed) return
      // Node's own timer of a socket counts on as long as none of the bytes goes; the next request takes it off.
      response.setTimeout(this.#limits.idleMs, () => response.destroy())
      const unread = { name, bytes, response }
      this.#add(unread, bytes)
      this.#unread.add(unread)
      response.once('close', () => this.#remove(unread))
      while (this.#bytes > this.#limits.bytes && this.#cutOldest());
    })
  }

  #cutOldest(): boolean {
    const [most] = [...this.#bytesOf].reduce((top, each) => (each[1] > top[1] ? each : top), ['', 0])
    for (const unread of this.#unread) {
      if (unread.name !== most) continue
      this.#remove(unread)
      unread.response.destroy()
      return true
    }
    return false
  }

  #remove(unread: Unread): void {
    if (this.#unread.delete(unread)) this.#add(unread, -unread.bytes)
  }

  #add({ name }: Unread, bytes: number): void {
    this.#bytes += bytes
    const sum = (this.#bytesOf.get(name) ?? 0) + bytes
    if (sum > 0) this.#bytesOf.set(name, sum)
    else this.#bytesOf.delete(name)
  }
}
