import type { Wallet } from '@sluice/protocol/wallet.ts'
import { despiteAway, type Places } from '../../platform/cluster/places.ts'
import type { Database } from '../../platform/database/database.ts'
import { findOwnTimeout } from '../../platform/jobs/own-timeout.ts'

/** Whose books are written in a transaction over many merchants. */
export type BooksUnderWay = {
  /** Whose turn it is; the work says so. */
  current: Wallet | undefined
  /** Those whose books took too long, and the fault: they would take all others' along each time, and are left behind. */
  readonly stuck: ReadonlyMap<Wallet, unknown>
}

/** Does work on the books of many merchants in one transaction, and again without those whose books take too long. */
export async function despiteStuck<T>(
  { db, places }: { readonly db: Database; readonly places?: Places | undefined },
  work: (tx: Database, books: BooksUnderWay) => Promise<T>,
): Promise<T> {
  const stuck = new Map<Wallet, unknown>()
  for (;;) {
    const books: BooksUnderWay = { current: undefined, stuck }
    try {
      return await despiteAway(places, () => db.transaction((tx) => work(tx, books)))
    } catch (error) {
      const own = books.current && (await findOwnTimeout(db, error))
      if (!books.current || !own) throw error
      stuck.set(books.current, own)
    }
  }
}
