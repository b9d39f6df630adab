import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'

/** A merchant as the operator sees it. */
export type BrandedMerchant = {
  readonly merchantWallet: Wallet
  readonly name: string
  readonly brandKey: string
  readonly createdAt: UnixMs
}

/** The key of the brand a merchant sells under; `undefined` for an unknown merchant. Holds its row. */
export async function findMerchantBrand(tx: Database, merchant: Wallet): Promise<string | undefined> {
  return (await tx.row<{ brand_key: string }>(lock, [merchant]))?.brand_key
}

/** Stores the brand a merchant sells under. */
export async function saveMerchantBrand(tx: Database, merchant: Wallet, brandKey: string): Promise<void> {
  await tx.run(save, [merchant, brandKey])
}

/** Merchants by wallet, those after `after`. */
export async function listBrandedMerchants(
  db: Database,
  after: string,
  limit: number,
): Promise<BrandedMerchant[]> {
  const rows = await db.rows<{ merchant: Wallet; name: string; brand_key: string; created_at: bigint }>(
    list,
    [after, limit],
  )
  return rows.map((row) => ({
    merchantWallet: row.merchant,
    name: row.name,
    brandKey: row.brand_key,
    createdAt: Number(row.created_at) as UnixMs,
  }))
}

const lock = {
  name: 'lock-merchant-brand',
  text: 'SELECT brand_key FROM merchant WHERE merchant = $1 FOR UPDATE',
}

const save = {
  name: 'save-merchant-brand',
  text: 'UPDATE merchant SET brand_key = $2 WHERE merchant = $1',
}

const list = {
  name: 'list-branded-merchants',
  text: `SELECT merchant, name, brand_key, created_at FROM merchant
    WHERE merchant > $1 ORDER BY merchant LIMIT $2`,
}
