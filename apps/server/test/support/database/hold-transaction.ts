import { vi } from 'vitest'
import type { SqlValue } from '../../../src/platform/database/columns.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { isOnCluster } from './on-cluster.ts'

/** Runs a statement and holds its transaction and locks until the returned function is called. */
export async function holdTransaction(db: Database, text: string, values: readonly SqlValue[]) {
  const isHeld = Promise.withResolvers<void>()
  const isLeft = Promise.withResolvers<void>()
  const holding = db.transaction(async (tx) => {
    // PostgreSQL would end the idle transaction.
    await tx.run({ name: '', text: 'SET LOCAL idle_in_transaction_session_timeout = 0' })
    await tx.run({ name: '', text }, values)
    isHeld.resolve()
    await isLeft.promise
  })
  await Promise.race([isHeld.promise, holding])
  return async () => {
    isLeft.resolve()
    await holding
  }
}

export async function untilSomebodyWaits(db: Database): Promise<void> {
  const text = isOnCluster
    ? 'SELECT EXISTS (SELECT FROM citus_lock_waits) AS found'
    : `SELECT EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock') AS found`
  await vi.waitFor(
    async () => {
      const row = await db.row<{ found: boolean }>({ name: '', text })
      if (!row?.found) throw new Error('no statement waits for a lock')
    },
    { timeout: 60_000 },
  )
}
