import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** Who sells: known by one wallet, which partitions everything that is stored. */
export type Merchant = { readonly wallet: Wallet; readonly name: string; readonly createdAt: UnixMs }

/** The merchant of a wallet, or `undefined`. */
export async function findMerchant(db: Database, wallet: Wallet): Promise<Merchant | undefined> {
  const row = await db.row(find({ wallet }))
  return row && { wallet, name: row.name, createdAt: Number(row.createdAt) as UnixMs }
}

const find = statement({
  name: 'find-merchant',
  reads: { name: text(), createdAt: int8() },
  text: 'SELECT name, created_at FROM merchant WHERE merchant = :wallet',
})
