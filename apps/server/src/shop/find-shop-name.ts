import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** The name a merchant sells under; `undefined` where it has no shop, or one without a name. */
export async function findShopName(db: Database, merchant: Wallet): Promise<string | undefined> {
  const row = await db.row(find({ merchant }))
  return row?.name.trim() || undefined
}

const find = statement({
  name: 'find-shop-name',
  reads: { name: text() },
  text: 'SELECT name FROM shop WHERE merchant = :merchant',
})
