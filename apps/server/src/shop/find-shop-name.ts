import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'

/** The name a merchant sells under; `undefined` where it has no shop, or one without a name. */
export async function findShopName(db: Database, merchant: Wallet): Promise<string | undefined> {
  const row = await db.row<{ name: string }>(find, [merchant])
  return row?.name.trim() || undefined
}

const find = { name: 'find-shop-name', text: 'SELECT name FROM shop WHERE merchant = $1' }
