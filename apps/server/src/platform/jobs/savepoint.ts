import type { Database } from '../database/database.ts'
import { markAfterCommit } from '../database/inside-transaction.ts'
import { isItemError } from './item-error.ts'

export type EachWork<T> = {
  alone(item: T): Promise<void>
  together?(items: readonly T[]): Promise<void>
  defer(item: T, error: unknown): Promise<void>
}

/**
 * Does the work of many items in one transaction. Rolls back and defers only the items that fail.
 *
 * Errors that no item caused end the transaction. All items are first tried together, because a savepoint
 * costs two statements per item and failures are rare. Therefore the work may run twice and must leave no
 * trace outside the database.
 */
export async function doEach<T>(tx: Database, items: readonly T[], work: EachWork<T>): Promise<void> {
  if (items.length === 0) return
  const together = await errorOf(tx, async () => {
    if (work.together) await work.together(items)
    else for (const item of items) await work.alone(item)
  })
  if (!together) return
  const [only] = items
  if (items.length === 1 && only !== undefined) return work.defer(only, together.error)
  for (const item of items) {
    const alone = await errorOf(tx, () => work.alone(item))
    if (alone) await work.defer(item, alone.error)
  }
}

/** Runs work in a savepoint. If an item is at fault, rolls the savepoint back and returns the error. */
async function errorOf(tx: Database, work: () => Promise<void>): Promise<{ error: unknown } | undefined> {
  await tx.run(set)
  const dropWords = markAfterCommit()
  try {
    await work()
  } catch (error) {
    if (!isItemError(error)) throw error
    // Fails if the connection is lost, which also ends the transaction.
    await tx.run(goBack)
    await tx.run(release)
    dropWords()
    return { error }
  }
  await tx.run(release)
  return undefined
}

const set = { name: 'set-savepoint', text: 'SAVEPOINT item' }
const goBack = { name: 'go-back-to-savepoint', text: 'ROLLBACK TO SAVEPOINT item' }
const release = { name: 'release-savepoint', text: 'RELEASE SAVEPOINT item' }
