import { AsyncLocalStorage } from 'node:async_hooks'
import { nextTurn } from '../../../kernel/turns/semaphore.ts'

export type QueuedRequest = {
  isGone(): boolean
  /** Starts the request. The request calls `done` when its response is complete. */
  begin(done: () => void): void
}

export type Share = {
  /** Concurrent requests, divided equally among the active subjects. */
  readonly total: number
  readonly least: number
}

type Subject = { readonly waiting: QueuedRequest[]; running: number; isReady: boolean }

/** Number of requests started before the event loop polls its sockets and timers again. */
const startsPerTurn = 8

/**
 * Shares the process among subjects (merchants, addresses).
 *
 * Subjects start one request each in rotation, and each runs up to an equal share at the same time. So a
 * subject waits only behind its own requests.
 */
export class FairQueue {
  readonly #share: Share
  readonly #subjects = new Map<string, Subject>()
  readonly #ready: string[] = []
  /** Context of the constructor: a request must not start inside another request's transaction or trace. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #isStarting = false

  constructor(share: Share) {
    this.#share = share
  }

  get subjectCount(): number {
    return this.#subjects.size
  }

  add(name: string, request: QueuedRequest): void {
    let subject = this.#subjects.get(name)
    if (!subject) {
      subject = { waiting: [], running: 0, isReady: false }
      this.#subjects.set(name, subject)
    }
    subject.waiting.push(request)
    this.#schedule(name, subject)
  }

  #schedule(name: string, subject: Subject): void {
    if (subject.waiting.length === 0 && subject.running === 0) this.#subjects.delete(name)
    if (subject.isReady || subject.waiting.length === 0 || subject.running >= this.#limit()) return
    subject.isReady = true
    this.#ready.push(name)
    if (!this.#isStarting) this.#outside(() => void this.#startReady())
  }

  #limit(): number {
    const { total, least } = this.#share
    return Math.max(least, Math.floor(total / this.#subjects.size))
  }

  async #startReady(): Promise<void> {
    this.#isStarting = true
    for (let count = 0; this.#ready.length > 0; count++) {
      if (count % startsPerTurn === 0) await nextTurn()
      const name = this.#ready.shift() ?? ''
      const subject = this.#subjects.get(name)
      if (subject) this.#start(name, subject)
    }
    this.#isStarting = false
  }

  #start(name: string, subject: Subject): void {
    subject.isReady = false
    let request = subject.waiting.shift()
    while (request?.isGone()) request = subject.waiting.shift()
    if (request) {
      subject.running++
      let isDone = false
      request.begin(() => {
        if (isDone) return
        isDone = true
        subject.running--
        this.#schedule(name, subject)
      })
    }
    this.#schedule(name, subject)
  }
}
