import type { ServerResponse } from 'node:http'

const megabyte = 1024 * 1024

/** Maximum total size of unread responses, and maximum time without progress. */
export const unreadLimits = { bytes: 64 * megabyte, idleMs: 30_000 } as const

type Unread = { readonly name: string; readonly bytes: number; readonly response: ServerResponse }

/**
 * Responses that clients have not read. Node buffers them, and nothing else closes such a connection.
 *
 * A response without progress for 30 seconds is cut off. Above 64 MB in total, the oldest responses of the
 * largest holder are cut off, so that no client harms another.
 */
export class UnreadResponses {
  readonly #limits: { readonly bytes: number; readonly idleMs: number }
  readonly #unread = new Set<Unread>()
  readonly #bytesOf = new Map<string, number>()
  #bytes = 0

  constructor(limits: { bytes: number; idleMs: number } = unreadLimits) {
    this.#limits = limits
  }

  get bytes(): number {
    return this.#bytes
  }

  watch(name: string, response: ServerResponse): void {
    response.once('prefinish', () => {
      const bytes = response.writableLength
      if (bytes === 0 || response.destroyed) return
      // Node's socket timer fires only after a time without progress, and the next request clears it.
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
