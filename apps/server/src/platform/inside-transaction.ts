import { AsyncLocalStorage } from 'node:async_hooks'
import { assert } from '../kernel/assert.ts'

/** One for the process: it holds nothing itself, and the seams that ask must not depend on who opened the transaction. */
const inside = new AsyncLocalStorage<{ isOpen: boolean }>()

/** Runs the work of a transaction; until it has ended, what it does is known to be inside of one. */
export async function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { isOpen: true }
  try {
    return await inside.run(transaction, work)
  } finally {
    transaction.isOpen = false
  }
}

/** Whether the caller works inside a transaction that is open. */
export function isInsideTransaction(): boolean {
  return inside.getStore()?.isOpen === true
}

/**
 * Ends what asks the network for something inside a transaction. Rows stay locked until that answers, for every
 * process on the database: whatever is needed from outside is asked for before.
 */
export function refuseInsideTransaction(what: string): void {
  assert(!isInsideTransaction(), `${what} is asked before a transaction or after it, never inside`)
}
