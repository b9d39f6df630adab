import type { Wallet } from '@sluice/protocol/wallet.ts'
import { numberCursor, type PageQuery, readPage } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'
import { findCurrentSplit } from '../find-split.ts'
import type { Split } from '../split.ts'
import { listVersionsBefore } from './store.ts'

/**
 * A page of the versions of a merchant's split, newest first, and which of all is in force.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export async function listVersionsPage(
  db: Database,
  merchant: Wallet,
  query: PageQuery,
): Promise<{ versions: Split[]; inForce: bigint | undefined; nextCursor: string | null }> {
  const { page: versions, nextCursor } = await readPage(query, numberCursor('version'), (before, count) =>
    listVersionsBefore(db, merchant, before?.version ?? 2n ** 62n, count),
  )
  const current = await findCurrentSplit(db, merchant)
  return { versions, inForce: current?.version, nextCursor }
}
