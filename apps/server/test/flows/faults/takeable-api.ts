import { onTestFinished } from 'vitest'
import type { Database } from '../../../src/platform/database/database.ts'
import { startApi, type TestApi } from '../../support/api/start-api.ts'
import { takeableDatabase } from '../../support/database/takeable-database.ts'
import type { TestDatabase } from '../../support/database/test-database.ts'
import { TestClock } from '../../support/test-clock.ts'

export type TakeableApi = {
  readonly api: TestApi
  readonly datastore: { isAway: boolean }
}

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

export function applyJournal(api: TestApi) {
  return api.job('apply-journal').run(new AbortController().signal)
}
