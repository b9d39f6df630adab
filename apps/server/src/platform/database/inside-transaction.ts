import { AsyncLocalStorage } from 'node:async_hooks'
import { assert } from '../../kernel/assert.ts'
import type { Cache } from '../cache/cache.ts'

/** One for the process: it holds nothing itself, and the seams that ask must not depend on who opened the transaction. */
const inside = new AsyncLocalStorage<OpenTransaction>()

type OpenTransaction = {
  isOpen: boolean
  readonly after: (() => void)[]
  /** What it has noted itself, and what others of the same database have noted a moment ago. */
  readonly ownNotes: Set<string>
  readonly noted: Cache | undefined
}

/**
 * Runs the work of a transaction and commits it; until then, what it does is known to be inside of one. What was left for
 * after the commit is done after it, and dropped where there is none.
 *
 * @param noted - What transactions of the same database have found noted in it a moment ago.
 */
export async function insideTransaction<T>(
  work: () => Promise<T>,
  commit: () => Promise<void>,
  noted?: Cache,
): Promise<T> {
  const transaction: OpenTransaction = { isOpen: true, after: [], ownNotes: new Set(), noted }
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

/** Marks a savepoint; what it gives back drops all that was noted, or left for after the commit, since then. */
export function markAfterCommit(): () => void {
  const { after, ownNotes } = inside.getStore() ?? {}
  const count = after?.length ?? 0
  return () => {
    if (after) after.length = count
    ownNotes?.clear()
  }
}

/** Whether the caller works inside a transaction that is open. */
export function isInsideTransaction(): boolean {
  return inside.getStore()?.isOpen === true
}

/**
 * Does what notes something in the database, once in the transaction that is open; not again for a moment once that is
 * committed, by whichever transaction. Outside of one it is always done. Only for what stays so for far longer than that.
 *
 * @param key - Of what it notes: whoever changes the rows drops all keys, see `Changes`.
 */
export async function noteOnce(key: string, work: () => Promise<unknown>): Promise<void> {
  const transaction = inside.getStore()
  if (!transaction?.isOpen) return void (await work())
  const { ownNotes, noted } = transaction
  if (ownNotes.has(key) || noted?.peek(key)) return
  await work()
  ownNotes.add(key)
  afterCommit(() => noted?.set(key, isNoted))
}

const isNoted = {}

/**
 * Ends what asks the network for something inside a transaction. Rows stay locked until that answers, for every
 * process on the database: whatever is needed from outside is asked for before.
 */
export function refuseInsideTransaction(what: string): void {
  assert(!isInsideTransaction(), `${what} must be called before or after a transaction, never inside`)
}
