import type { Database } from '../../../src/platform/database/database.ts'
import { wrapDatabase } from './wrap-database.ts'

export function countStatements(db: Database): { db: Database; total(): number } {
  let count = 0
  const counting = wrapDatabase(db, (_, run) => {
    count += 1
    return run()
  })
  return { db: counting, total: () => count }
}
