import { AsyncLocalStorage } from 'node:async_hooks'
import { FairSlots } from '../../../kernel/turns/fair-slots.ts'

/** Of the pool's ten connections. Callers with a key or session, and the service's own work, always find some. */
const share = { atOnce: 6, atOnceEach: 3, waiting: 10_000, waitingEach: 10_000 } as const

/** The address that a request without a valid key or session came from, during the request. */
const visitors = new AsyncLocalStorage<string | undefined>()

/** Runs a request of a visitor: its statements use the visitors' share of the pool. */
export function asVisitor<T>(address: string, work: () => T): T {
  return visitors.run(address, work)
}

/** Limits the connections of the pool that visitors use at the same time, fairly by address. */
export class VisitorShare {
  readonly #slots = new FairSlots(share)
  readonly #makeError: () => Error

  /** @param makeError - Makes the error for a visitor who finds too many waiting. */
  constructor(makeError: () => Error) {
    this.#makeError = makeError
  }

  /** Runs a statement or a transaction, in turn if a visitor's request asks for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const visitor = visitors.getStore()
    if (visitor === undefined) return work()
    // What a transaction asks beside itself must not wait for a second slot.
    const outcome = await this.#slots.run(visitor, async () => ({
      done: await visitors.run(undefined, work),
    }))
    if (outcome === 'full') throw this.#makeError()
    return outcome.done
  }
}
