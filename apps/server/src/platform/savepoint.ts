import type { Database } from './database.ts'
import { isItemFault } from './item-fault.ts'

/**
 * Does many items' work in one transaction so that a fault of one undoes that one alone: it is handed to
 * `setAside`, in the same transaction, and the others go on. Faults that are no item's end the transaction.
 *
 * All of them are tried together first, since a savepoint for each costs two statements and faults are rare:
 * `work` may be run twice and leaves no trace outside the database.
 */
export async function doEach<T>(
  tx: Database,
  items: readonly T[],
  work: (item: T) => Promise<void>,
  setAside: (item: T, fault: unknown) => Promise<void>,
): Promise<void> {
  if (items.length === 0) return
  const together = await faultOf(tx, async () => {
    for (const item of items) await work(item)
  })
  if (!together) return
  const [only] = items
  if (items.length === 1 && only !== undefined) return setAside(only, together.fault)
  for (const item of items) {
    const alone = await faultOf(tx, () => work(item))
    if (alone) await setAside(item, alone.fault)
  }
}

/** Runs work in a savepoint: what it did is undone where an item is at fault, and the fault given back. */
async function faultOf(tx: Database, work: () => Promise<void>): Promise<{ fault: unknown } | undefined> {
  await tx.run(set)
  try {
    await work()
  } catch (fault) {
    if (!isItemFault(fault)) throw fault
    // Fails where the connection is gone, and with it the transaction.
    await tx.run(goBack)
    await tx.run(release)
    return { fault }
  }
  await tx.run(release)
  return undefined
}

const set = { name: 'set-savepoint', text: 'SAVEPOINT item' }
const goBack = { name: 'go-back-to-savepoint', text: 'ROLLBACK TO SAVEPOINT item' }
const release = { name: 'release-savepoint', text: 'RELEASE SAVEPOINT item' }
