import { AsyncLocalStorage } from 'node:async_hooks'
import { FairSlots } from '../../../kernel/turns/fair-slots.ts'

/** Share of the pool's ten connections. Some always remain for authenticated callers and jobs. */
const share = { atOnce: 6, atOnceEach: 3, waiting: 10_000, waitingEach: 10_000 } as const

const visitors = new AsyncLocalStorage<string | undefined>()

export function asVisitor<T>(address: string, work: () => T): T {
  return visitors.run(address, work)
}

/**
 * Limits how many pool connections unauthenticated requests use at the same time. Shares them fairly by
 * address.
 */
export class VisitorShare {
  readonly #slots = new FairSlots(share)
  readonly #makeError: () => Error

  constructor(makeError: () => Error) {
    this.#makeError = makeError
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const visitor = visitors.getStore()
    if (visitor === undefined) return work()
    // Further statements of a transaction must not wait for a second slot.
    const outcome = await this.#slots.run(visitor, async () => ({
      done: await visitors.run(undefined, work),
    }))
    if (outcome === 'full') throw this.#makeError()
    return outcome.done
  }
}
