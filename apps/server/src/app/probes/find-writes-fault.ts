import { bool } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RefusedWrites } from '../../platform/database/degraded.ts'
import { statement } from '../../platform/database/statement.ts'

/** Why a database that answers takes no writes: it follows another one, it is set to only read, or its disk is full. */
export type WritesFault = 'standby' | 'read_only' | 'disk_full'

/** Why a database takes no writes; that its disk is full is known from what was written. `undefined` where it takes them. */
export async function findWritesFault(
  db: Database,
  refusedWrites: RefusedWrites,
): Promise<WritesFault | undefined> {
  const state = await db.row(findState())
  if (state?.isStandby) return 'standby'
  if (state?.onlyReads) return 'read_only'
  return refusedWrites.isDiskFull() ? 'disk_full' : undefined
}

const findState = statement({
  name: 'find-write-state',
  reads: { isStandby: bool(), onlyReads: bool() },
  text: `SELECT pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS only_reads`,
})
