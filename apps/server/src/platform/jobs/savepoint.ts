import type { Database } from '../database/database.ts'
import { markAfterCommit } from '../database/inside-transaction.ts'
import { isItemFault } from './item-fault.ts'

/** The work of items of which each is done or set aside. */
export type EachWork<T> = {
  alone(item: T): Promise<void>
  /** The same for all of them, where that is cheaper than one by one. */
  together?(items: readonly T[]): Promise<void>
  /** Takes note of an item whose work was undone, and of what was at fault. */
  setAside(item: T, fault: unknown): Promise<void>
}

/**
 * Does many items' work in one transaction so that a fault of one undoes that one alone: it is set aside in the
 * same transaction, and the others go on. Faults that are no item's end the transaction.
 *
 * All of them are tried together first, since a savepoint for each costs two statements and faults are rare:
 * work may be done twice and leaves no trace outside the database.
 */
export async function doEach<T>(tx: Database, items: readonly T[], work: EachWork<T>): Promise<void> {
  if (items.length === 0) return
  const together = await faultOf(tx, async () => {
    if (work.together) await work.together(items)
    else for (const item of items) await work.alone(item)
  })
  if (!together) return
  const [only] = items
  if (items.length === 1 && only !== undefined) return work.setAside(only, together.fault)
  for (const item of items) {
    const alone = await faultOf(tx, () => work.alone(item))
    if (alone) await work.setAside(item, alone.fault)
  }
}

/** Runs work in a savepoint: what it did is undone where an item is at fault, and the fault given back. */
async function faultOf(tx: Database, work: () => Promise<void>): Promise<{ fault: unknown } | undefined> {
  await tx.run(set)
  const dropWords = markAfterCommit()
  try {
    await work()
  } catch (fault) {
    if (!isItemFault(fault)) throw fault
    // Fails where the connection is gone, and with it the transaction.
    await tx.run(goBack)
    await tx.run(release)
    dropWords()
    return { fault }
  }
  await tx.run(release)
  return undefined
}

const set = { name: 'set-savepoint', text: 'SAVEPOINT item' }
const goBack = { name: 'go-back-to-savepoint', text: 'ROLLBACK TO SAVEPOINT item' }
const release = { name: 'release-savepoint', text: 'RELEASE SAVEPOINT item' }
