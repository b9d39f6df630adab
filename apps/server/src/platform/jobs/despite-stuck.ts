import type { Database } from '../database/database.ts'
import { findOwnTimeout } from './item-fault.ts'
import { doEach, type EachWork } from './savepoint.ts'

/** Items of many merchants whose work is done in one transaction. */
export type UnderWay<Name extends string = string> = {
  /** Whose turn it is; the work says so. */
  current: Name | undefined
  /** Those whose work took too long, and the fault: they would take all others' along each time, and are left out. */
  readonly stuck: ReadonlyMap<Name, unknown>
}

/** Does work for many items in one transaction, and again without those whose own work takes too long. */
export async function despiteStuck<T, Name extends string = string>(
  { db }: { readonly db: Database },
  work: (tx: Database, underWay: UnderWay<Name>) => Promise<T>,
): Promise<T> {
  const stuck = new Map<Name, unknown>()
  for (;;) {
    const underWay: UnderWay<Name> = { current: undefined, stuck }
    const begin = (tx: Database) => {
      // A transaction is begun anew where it met another one.
      underWay.current = undefined
      return work(tx, underWay)
    }
    try {
      return await db.transaction(begin)
    } catch (error) {
      const { current } = underWay
      const own = current !== undefined && !stuck.has(current) ? await findOwnTimeout(db, error) : undefined
      if (current === undefined || !own) throw error
      stuck.set(current, own)
    }
  }
}

/** As {@link doEach}, and says whose turn it is; those that are stuck are set aside at once. */
export async function doEachUnderWay<T, Name extends string>(
  tx: Database,
  underWay: UnderWay<Name>,
  items: readonly T[],
  work: EachWork<T> & { nameOf(item: T): Name },
): Promise<void> {
  const isStuck = (item: T) => underWay.stuck.has(work.nameOf(item))
  for (const item of items.filter(isStuck)) await work.setAside(item, underWay.stuck.get(work.nameOf(item)))
  await doEach(
    tx,
    items.filter((item) => !isStuck(item)),
    {
      alone(item) {
        underWay.current = work.nameOf(item)
        return work.alone(item)
      },
      setAside: (item, fault) => work.setAside(item, fault),
    },
  )
  underWay.current = undefined
}
