import { AsyncLocalStorage } from 'node:async_hooks'
import { assert } from '../../kernel/assert.ts'

/** One per process, so that callers do not depend on the database object that opened the transaction. */
const inside = new AsyncLocalStorage<OpenTransaction>()

type OpenTransaction = {
  isOpen: boolean
  readonly after: (() => void)[]
}

/**
 * Runs the work of a transaction and commits it. Runs the callbacks of {@link afterCommit} only after a
 * commit.
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
 * Runs `work` after the open transaction commits, or at once without a transaction.
 *
 * A crash in between loses the work, so nothing may depend on it.
 */
export function afterCommit(work: () => void): void {
  const transaction = inside.getStore()
  if (transaction?.isOpen) transaction.after.push(work)
  else work()
}

/** Marks a savepoint. The returned function drops the callbacks that were added after it. */
export function markAfterCommit(): () => void {
  const { after } = inside.getStore() ?? {}
  const count = after?.length ?? 0
  return () => {
    if (after) after.length = count
  }
}

export function isInsideTransaction(): boolean {
  return inside.getStore()?.isOpen === true
}

/** Throws inside a transaction, whose rows would stay locked for every process until the network responds. */
export function refuseInsideTransaction(what: string): void {
  assert(!isInsideTransaction(), `${what} must be called outside a transaction`)
}
