import { onTestFinished } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { startApi, type TestApi } from '../../support/api/start-api.ts'
import { takeableDatabase } from '../../support/database/takeable-database.ts'
import type { TestDatabase } from '../../support/database/test-database.ts'
import { TestClock } from '../../support/test-clock.ts'

/** A service whose database can be taken away as a whole. */
export type TakeableApi = {
  readonly api: TestApi
  /** Takes the database away, and gives it back. */
  readonly datastore: { isAway: boolean }
}

/**
 * Starts one over a database, until the test is over.
 *
 * @param between - Does harm in the database while that is there.
 */
export async function startTakeableApi(
  database: TestDatabase,
  between: (db: Database) => Database = (db) => db,
): Promise<TakeableApi> {
  const datastore = takeableDatabase()
  const api = await startApi({
    beside: { database, clock: new TestClock() },
    between: (db) => between(datastore.of(db)),
  })
  onTestFinished(async () => {
    datastore.isAway = false
    await api.stop()
  })
  return { api, datastore }
}

/** Has a round of the job that does what was accepted. */
export function applyJournal(api: TestApi) {
  return api.job('apply-journal').run(new AbortController().signal)
}
