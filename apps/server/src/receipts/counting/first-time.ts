import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/** When the first of a merchant's receipts was created. */
export async function findFirstTime(db: Database, merchant: Wallet): Promise<UnixMs | undefined> {
  return (await db.row(find({ merchant })))?.createdAt
}

const find = statement({
  name: 'find-first-receipt-time',
  text: 'SELECT created_at FROM receipt WHERE merchant = :merchant ORDER BY created_at, id LIMIT 1',
  reads: { createdAt: time() },
})
