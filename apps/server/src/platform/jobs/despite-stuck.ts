import type { Database } from '../database/database.ts'
import { findOwnTimeout } from './item-error.ts'
import { doEach, type EachWork } from './savepoint.ts'

export type UnderWay<Name extends string = string> = {
  current: Name | undefined
  /**
   * Items whose work timed out, with the error. They are left out, because each would fail the whole batch.
   */
  readonly stuck: ReadonlyMap<Name, unknown>
}

/** Processes many items in one transaction, and repeats it without the items that time out. */
export async function despiteStuck<T, Name extends string = string>(
  { db }: { readonly db: Database },
  work: (tx: Database, underWay: UnderWay<Name>) => Promise<T>,
): Promise<T> {
  const stuck = new Map<Name, unknown>()
  for (;;) {
    const underWay: UnderWay<Name> = { current: undefined, stuck }
    const begin = (tx: Database) => {
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

/** Processes items as {@link doEach} does, and records the item in progress. Defers stuck items at once. */
export async function doEachUnderWay<T, Name extends string>(
  tx: Database,
  underWay: UnderWay<Name>,
  items: readonly T[],
  work: EachWork<T> & { nameOf(item: T): Name },
): Promise<void> {
  const isStuck = (item: T) => underWay.stuck.has(work.nameOf(item))
  for (const item of items.filter(isStuck)) await work.defer(item, underWay.stuck.get(work.nameOf(item)))
  await doEach(
    tx,
    items.filter((item) => !isStuck(item)),
    {
      alone(item) {
        underWay.current = work.nameOf(item)
        return work.alone(item)
      },
      defer: (item, reason) => work.defer(item, reason),
    },
  )
  underWay.current = undefined
}
