import { AsyncLocalStorage } from 'node:async_hooks'
import { assert } from '../../kernel/assert.ts'

/** One for the process: it holds nothing itself, and the seams that ask must not depend on who opened the transaction. */
const inside = new AsyncLocalStorage<OpenTransaction>()

type OpenTransaction = {
  isOpen: boolean
  readonly after: (() => void)[]
}

/**
 * Runs the work of a transaction and commits it; until then, what it does is known to be inside of one. What was left for
 * after the commit is done after it, and dropped where there is none.
 */
export async function insideTransaction<T>(work: () => Promise<T>, commit: () => Promise<void>): Promise<T> {
  const transaction: OpenTransaction = { isOpen: true, after: [] }
  let result: T
  try {
    result = await inside.run(transaction, work)
    await commit()
  } finally {
    transaction.isOpen = false
  }
  for (const each of transaction.after) each()
  return result
}

/**
 * Does something once the transaction that is open is committed, and at once where none is: for what must not be said
 * of something that never came to be. A crash in between loses it, so nothing may depend on it.
 */
export function afterCommit(work: () => void): void {
  const transaction = inside.getStore()
  if (transaction?.isOpen) transaction.after.push(work)
  else work()
}

/** Marks a savepoint; what it gives back drops all that was left for after the commit, since then. */
export function markAfterCommit(): () => void {
  const { after } = inside.getStore() ?? {}
  const count = after?.length ?? 0
  return () => {
    if (after) after.length = count
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
  assert(!isInsideTransaction(), `${what} must be called before or after a transaction, never inside`)
}
