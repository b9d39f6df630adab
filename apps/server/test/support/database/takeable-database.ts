import type { Database } from '../../../src/platform/database/database.ts'
import { DatastoreAway } from '../../../src/platform/database/degraded.ts'

/**
 * Returns a switch that makes a database unavailable. Statements then fail with the connection pool's error.
 */
export function takeableDatabase(): { isAway: boolean; of(db: Database): Database } {
  const live = async <T>(work: () => Promise<T>): Promise<T> => {
    if (made.isAway) throw new DatastoreAway('connect ECONNREFUSED')
    return work()
  }
  const made = {
    isAway: false,
    of: (db: Database): Database => ({
      rows: (...args) => live(() => db.rows(...args)),
      row: (...args) => live(() => db.row(...args)),
      run: (...args) => live(() => db.run(...args)),
      transaction: (work) => live(() => db.transaction(work)),
    }),
  }
  return made
}
