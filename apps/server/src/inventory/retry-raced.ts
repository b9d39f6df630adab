import type { Database } from '../platform/database/database.ts'

const attempts = 4
const uniqueViolation = '23505'

/** Somebody else wrote a product with the same id or sku at the same moment: what was decided is out of date. */
export class Raced extends Error {
  constructor() {
    super('a product was changed concurrently')
  }
}

/**
 * Runs `work` in a transaction, and again where somebody else was faster: the next run finds what they wrote.
 * A key that turns out to be taken in the middle of a change counts as that.
 */
export async function retryRaced<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const isRaced = error instanceof Raced || (error as { code?: unknown }).code === uniqueViolation
      if (!isRaced || attempt === attempts) throw error
    }
  }
}
