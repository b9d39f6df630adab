import type { Wallet } from '@sluice/protocol/wallet.ts'
import { badCursor, cutPage, parseLimit } from '../../access/page.ts'
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
  query: { limit?: string; cursor?: string },
): Promise<{ versions: Split[]; inForce: bigint | undefined; nextCursor: string | null }> {
  const limit = parseLimit(query.limit)
  if (query.cursor !== undefined && !/^[1-9][0-9]{0,17}$/.test(query.cursor)) throw badCursor()
  const before = query.cursor === undefined ? 2n ** 62n : BigInt(query.cursor)
  const found = await listVersionsBefore(db, merchant, before, limit + 1)
  const current = await findCurrentSplit(db, merchant)
  const { page: versions, hasMore } = cutPage(found, limit)
  const last = versions.at(-1)
  return {
    versions,
    inForce: current?.version,
    nextCursor: hasMore && last ? String(last.version) : null,
  }
}
