import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { listMerchantWallets } from '../merchants/merchant-store.ts'
import { named, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** A merchant as the operator sees it. */
export type BrandedMerchant = {
  readonly merchantWallet: Wallet
  readonly name: string
  readonly brandKey: string
  readonly createdAt: UnixMs
}

/** The key of the brand a merchant sells under; `undefined` for an unknown merchant. Holds its row. */
export async function findMerchantBrand(tx: Database, merchant: Wallet): Promise<string | undefined> {
  return (await tx.row(lock({ merchant })))?.brandKey
}

/** Stores the brand a merchant sells under. */
export async function saveMerchantBrand(tx: Database, merchant: Wallet, brandKey: string): Promise<void> {
  await tx.run(save({ merchant, brandKey }))
}

/** Merchants by wallet, those after `after`. */
export async function listBrandedMerchants(
  db: Database,
  after: string,
  limit: number,
): Promise<BrandedMerchant[]> {
  const of = await listMerchantWallets(db, after, limit)
  return of.length > 0 ? db.rows(list({ of })) : []
}

const lock = statement({
  name: 'lock-merchant-brand',
  reads: { brandKey: text() },
  text: 'SELECT brand_key FROM merchant WHERE merchant = :merchant FOR UPDATE',
})

const save = statement({
  name: 'save-merchant-brand',
  text: 'UPDATE merchant SET brand_key = :brandKey WHERE merchant = :merchant',
})

const list = statement({
  name: 'list-branded-merchants',
  reads: {
    merchantWallet: named('merchant', text<Wallet>()),
    name: text(),
    brandKey: text(),
    createdAt: time(),
  },
  text: `SELECT merchant, name, brand_key, created_at FROM merchant
    WHERE merchant = ANY(:of::text[]) ORDER BY merchant`,
})
