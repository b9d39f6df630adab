import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8 } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** What a dollar earns with a merchant, in hundredths of a point; 0 where it has no shop. */
export async function findPointsPerDollar(db: Database, merchant: Wallet): Promise<bigint> {
  return (await db.row(find({ merchant })))?.perDollar ?? 0n
}

const find = statement({
  name: 'find-points-per-dollar',
  reads: { perDollar: int8() },
  text: 'SELECT xp_per_dollar_hundredths AS per_dollar FROM shop WHERE merchant = :merchant',
})
