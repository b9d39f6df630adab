import type { ServerResponse } from 'node:http'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { Lane } from '../../kernel/turns/lane.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { LiveStatus } from './island-data.ts'

const everyMs = 1_000
/** How often every page hears that the service is there: one that hears nothing for longer asks, and says so. */
const beatMs = 2_000
const beat = 'event: beat\ndata: {}\n\n'
/** Reads of all checkouts together: with more than fifty open ones each is read less often than once a second. */
const msPerRead = 20
const readsAtOnce = 2

/** How many pages are told live; beyond that they ask for themselves. */
export const liveLimits = { total: 2_000, perAddress: 32 } as const

/** What a page that does not read may leave waiting before it is cut off. */
const maxWaitingBytes = 64 * 1024

type Watched = {
  readonly listeners: Set<ServerResponse>
  readonly read: () => Promise<LiveStatus>
  last: string
  cancel: Cancel
}

/**
 * The open pages of this process and what each was told last.
 *
 * Each checkout is read once a second however many pages show it, and written to its pages only when it differs:
 * one after another, two at a time, so that no number of open pages takes the database from those who ask. A read
 * that fails is told as trouble, and the next one tries again. Between them each page hears a beat, so that one
 * whose service hangs, or whose connection swallows everything, notices the silence.
 */
export class LiveCheckouts {
  readonly #needs: { clock: Clock; log: Log }
  readonly #watched = new Map<string, Watched>()
  readonly #countOf = new Map<string, number>()
  readonly #lane = new Lane(readsAtOnce)
  #listenerCount = 0
  #isClosed = false
  #endBeat: Cancel | undefined
  readonly #states: StateLog

  constructor(needs: { clock: Clock; log: Log }) {
    this.#needs = needs
    this.#states = new StateLog(needs.log, needs.clock)
  }

  /** Whether another page of this address may be told live; beyond that pages ask for themselves. */
  hasRoom(address: string): boolean {
    return (
      !this.#isClosed &&
      this.#listenerCount < liveLimits.total &&
      (this.#countOf.get(address) ?? 0) < liveLimits.perAddress
    )
  }

  /**
   * Tells `response` of the checkout under `key` until it goes away. `read` is that of the first listener.
   *
   * @param key - One for a receipt, however it was asked for.
   */
  listen(
    { key, address }: { key: string; address: string },
    response: ServerResponse,
    read: () => Promise<LiveStatus>,
  ): void {
    // Who left while the receipt was looked up says so no second time.
    if (response.destroyed) return
    const known = this.#watched.get(key)
    const watched: Watched = known ?? { listeners: new Set(), read, last: '', cancel: () => {} }
    watched.listeners.add(response)
    this.#listenerCount++
    this.#countOf.set(address, (this.#countOf.get(address) ?? 0) + 1)
    response.once('close', () => this.#leave({ key, address }, watched, response))
    this.#endBeat ??= this.#beatOn()
    if (known) {
      if (known.last) response.write(known.last)
      return
    }
    this.#watched.set(key, watched)
    this.#round(key, watched)
  }

  /** Ends every stream; the browsers come back to whoever serves then. */
  close(): void {
    this.#isClosed = true
    this.#endBeat?.()
    for (const { listeners, cancel } of this.#watched.values()) {
      cancel()
      for (const response of listeners) response.end()
    }
  }

  #leave(
    { key, address }: { key: string; address: string },
    watched: Watched,
    response: ServerResponse,
  ): void {
    if (!watched.listeners.delete(response)) return
    this.#listenerCount--
    const count = (this.#countOf.get(address) ?? 1) - 1
    if (count > 0) this.#countOf.set(address, count)
    else this.#countOf.delete(address)
    if (this.#listenerCount === 0) {
      this.#endBeat?.()
      this.#endBeat = undefined
    }
    if (watched.listeners.size > 0) return
    watched.cancel()
    if (this.#watched.get(key) === watched) this.#watched.delete(key)
  }

  #isOver(key: string, watched: Watched): boolean {
    return this.#isClosed || this.#watched.get(key) !== watched
  }

  #round(key: string, watched: Watched): void {
    void this.#lane.run(async () => {
      if (this.#isOver(key, watched)) return
      const message = await this.#read(watched)
      if (this.#isOver(key, watched)) return
      this.#tell(watched, message)
      const pauseMs = Math.max(everyMs, msPerRead * this.#watched.size)
      watched.cancel = this.#needs.clock.after(pauseMs, () => this.#round(key, watched))
    })
  }

  async #read({ read }: Watched): Promise<string> {
    try {
      const status = await read()
      this.#states.end('checkouts', 'open checkouts can be read again', { calmMs: 10_000 })
      return `data: ${JSON.stringify(status)}\n\n`
    } catch (error) {
      const message = 'an open checkout cannot be read'
      if (!(error instanceof Refusal))
        this.#states.say('checkouts', String(error), 'warn', { err: error }, message)
      return 'event: trouble\ndata: {}\n\n'
    }
  }

  #tell(watched: Watched, message: string): void {
    if (message === watched.last) return
    watched.last = message
    for (const response of watched.listeners) send(response, message)
  }

  #beatOn(): Cancel {
    return this.#needs.clock.after(beatMs, () => {
      for (const { listeners } of this.#watched.values())
        for (const response of listeners) send(response, beat)
      this.#endBeat = this.#listenerCount > 0 ? this.#beatOn() : undefined
    })
  }
}

/** To a page that does not read any more nothing is said, but it is cut off. */
function send(response: ServerResponse, text: string): void {
  if (response.writableLength > maxWaitingBytes) response.destroy()
  else response.write(text)
}
