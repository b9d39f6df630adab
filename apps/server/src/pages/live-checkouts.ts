import type { ServerResponse } from 'node:http'
import type { Cancel, Clock } from '../kernel/clock.ts'
import { Refusal } from '../kernel/refusal.ts'
import type { Log } from '../platform/log.ts'
import { StateLog } from '../platform/state-log.ts'
import type { LiveStatus } from './island-data.ts'

const everyMs = 1_000
const heartbeatMs = 15_000
const maxListeners = 2_000

type Watched = { readonly listeners: Set<ServerResponse>; last: string; cancel: Cancel; beatAt: number }

/**
 * The open pages of this process and what each was told last.
 *
 * Each checkout is read once a second however many pages show it, and written to its pages only
 * when it differs. A read that fails is told as trouble, and the next one tries again.
 */
export class LiveCheckouts {
  readonly #needs: { clock: Clock; log: Log }
  readonly #watched = new Map<string, Watched>()
  #listenerCount = 0
  #isClosed = false
  readonly #states: StateLog

  constructor(needs: { clock: Clock; log: Log }) {
    this.#needs = needs
    this.#states = new StateLog(needs.log, needs.clock)
  }

  /** Whether another page may be told live; beyond that pages ask for themselves. */
  hasRoom(): boolean {
    return !this.#isClosed && this.#listenerCount < maxListeners
  }

  /** Tells `response` of the checkout under `key` until it goes away. `read` is that of the first listener. */
  listen(key: string, response: ServerResponse, read: () => Promise<LiveStatus>): void {
    // Who left while the receipt was looked up says so no second time.
    if (response.destroyed) return
    const known = this.#watched.get(key)
    const watched: Watched = known ?? {
      listeners: new Set(),
      last: '',
      cancel: () => {},
      beatAt: this.#needs.clock.now() + heartbeatMs,
    }
    watched.listeners.add(response)
    this.#listenerCount++
    response.once('close', () => this.#leave(key, watched, response))
    if (known) {
      if (known.last) response.write(known.last)
      return
    }
    this.#watched.set(key, watched)
    this.#round(key, watched, read)
  }

  /** Ends every stream; the browsers come back to whoever serves then. */
  close(): void {
    this.#isClosed = true
    for (const { listeners, cancel } of this.#watched.values()) {
      cancel()
      for (const response of listeners) response.end()
    }
  }

  #leave(key: string, watched: Watched, response: ServerResponse): void {
    if (!watched.listeners.delete(response)) return
    this.#listenerCount--
    if (watched.listeners.size > 0) return
    watched.cancel()
    if (this.#watched.get(key) === watched) this.#watched.delete(key)
  }

  #round(key: string, watched: Watched, read: () => Promise<LiveStatus>): void {
    read()
      .then((status) => {
        this.#states.end('checkouts', 'open checkouts can be read again', { calmMs: 10_000 })
        return status
      })
      .then((status) => `data: ${JSON.stringify(status)}\n\n`)
      .catch((error: unknown) => {
        if (!(error instanceof Refusal))
          this.#states.say(
            'checkouts',
            String(error),
            'warn',
            { err: error },
            'an open checkout cannot be read',
          )
        return 'event: trouble\ndata: {}\n\n'
      })
      .then((message) => {
        if (this.#isClosed || this.#watched.get(key) !== watched) return
        this.#tell(watched, message)
        watched.cancel = this.#needs.clock.after(everyMs, () => this.#round(key, watched, read))
      })
  }

  #tell(watched: Watched, message: string): void {
    const now = this.#needs.clock.now()
    const text = message !== watched.last ? message : now >= watched.beatAt ? ': beat\n\n' : undefined
    if (text === undefined) return
    watched.last = message
    watched.beatAt = now + heartbeatMs
    for (const response of watched.listeners) response.write(text)
  }
}
