import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'

/** Who sells: known by one wallet, which partitions everything that is stored. */
export type Merchant = { readonly wallet: Wallet; readonly name: string; readonly createdAt: UnixMs }

/** The merchant of a wallet, or `undefined`. */
export async function findMerchant(db: Database, wallet: Wallet): Promise<Merchant | undefined> {
  const row = await db.row<{ name: string; created_at: bigint }>(find, [wallet])
  return row && { wallet, name: row.name, createdAt: Number(row.created_at) as UnixMs }
}

const find = { name: 'find-merchant', text: 'SELECT name, created_at FROM merchant WHERE merchant = $1' }
