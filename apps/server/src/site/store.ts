import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { listMerchantWallets } from '../merchants/merchant-store.ts'
import { int8, json, named, optional, text, texts, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { assignAllBut, columnsOf, table, valuesOf } from '../platform/database/table.ts'
import type { Brand } from './brand.ts'

export async function findStoredBrand(db: Database, key: string): Promise<Brand | undefined> {
  return db.row(find({ key }))
}

export async function findBrandOfDomain(db: Database, domain: string): Promise<Brand | undefined> {
  return db.row(findOfDomain({ domain, ownBrandKey }))
}

export async function findStoredBrandOfMerchant(db: Database, merchant: Wallet): Promise<Brand | undefined> {
  return db.row(findOfMerchant({ merchant, ownBrandKey }))
}

export async function lockBrand(tx: Database, key: string): Promise<Brand | undefined> {
  return tx.row(lock({ key }))
}

export async function listStoredBrands(db: Database): Promise<Brand[]> {
  return db.rows(list())
}

export async function listBrandDomains(db: Database): Promise<string[]> {
  return (await db.rows(listDomains())).map(({ domain }) => domain)
}

export async function insertBrand(tx: Database, brand: Brand): Promise<void> {
  await tx.run(insert(brand))
}

export async function saveBrand(tx: Database, brand: Brand): Promise<void> {
  await tx.run(save(brand))
}

/** Replaces the domains of a brand. Returns the first domain that belongs to another brand, if any. */
export async function moveDomains(
  tx: Database,
  key: string,
  domains: readonly string[],
): Promise<string | undefined> {
  await tx.run(releaseDomains({ key, domains }))
  await tx.run(claimDomains({ key, domains }))
  return (await tx.row(findForeign({ key, domains })))?.domain
}

const brandTable = table<Brand>('brand', {
  key: text(),
  domains: texts(),
  theme: json(),
  processingFeeHundredths: optional(int8()),
  defaultPaymentToken: text(),
  reserveRatios: optional(json()),
  createdAt: time(),
  updatedAt: time(),
})

const find = statement({
  name: 'find-brand',
  reads: brandTable,
  text: `SELECT ${columnsOf(brandTable)} FROM brand WHERE key = :key`,
})

const findOfDomain = statement({
  name: 'find-brand-of-domain',
  reads: brandTable,
  text: `SELECT ${columnsOf(brandTable)} FROM brand
    WHERE key = coalesce((SELECT brand_key FROM brand_domain WHERE domain = :domain), :ownBrandKey)`,
})

const findOfMerchant = statement({
  name: 'find-brand-of-merchant',
  reads: brandTable,
  text: `SELECT ${columnsOf(brandTable)} FROM brand
    WHERE key = coalesce((SELECT brand_key FROM merchant WHERE merchant = :merchant), :ownBrandKey)`,
})

const lock = statement({
  name: 'lock-brand',
  reads: brandTable,
  text: `SELECT ${columnsOf(brandTable)} FROM brand WHERE key = :key FOR UPDATE`,
})

const list = statement({
  name: 'list-brands',
  reads: brandTable,
  text: `SELECT ${columnsOf(brandTable)} FROM brand ORDER BY key`,
})

const listDomains = statement({
  name: 'list-brand-domains',
  reads: { domain: text() },
  text: 'SELECT domain FROM brand_domain',
})

const insert = statement({
  name: 'insert-brand',
  text: `INSERT INTO brand ${valuesOf(brandTable)} ON CONFLICT (key) DO NOTHING`,
  writes: brandTable,
})

const save = statement({
  name: 'save-brand',
  text: `UPDATE brand SET ${assignAllBut(brandTable, ['key', 'createdAt'])} WHERE key = :key`,
  writes: brandTable,
})

const releaseDomains = statement({
  name: 'release-brand-domains',
  text: 'DELETE FROM brand_domain WHERE brand_key = :key AND domain <> ALL(:domains)',
})

const claimDomains = statement({
  name: 'claim-brand-domains',
  text: `INSERT INTO brand_domain (domain, brand_key) SELECT domain, :key
    FROM unnest(:domains::text[]) AS domain ORDER BY domain
    ON CONFLICT (domain) DO NOTHING`,
})

const findForeign = statement({
  name: 'find-foreign-brand-domain',
  reads: { domain: text() },
  text: 'SELECT domain FROM brand_domain WHERE domain = ANY(:domains) AND brand_key <> :key ORDER BY domain LIMIT 1',
})

export type BrandedMerchant = {
  readonly merchantWallet: Wallet
  readonly name: string
  readonly brandKey: string
  readonly createdAt: UnixMs
}

/** Returns a merchant's brand key and locks its row. */
export async function findMerchantBrand(tx: Database, merchant: Wallet): Promise<string | undefined> {
  return (await tx.row(lockMerchant({ merchant })))?.brandKey
}

export async function saveMerchantBrand(tx: Database, merchant: Wallet, brandKey: string): Promise<void> {
  await tx.run(assign({ merchant, brandKey }))
}

export async function listBrandedMerchants(
  db: Database,
  after: string,
  limit: number,
): Promise<BrandedMerchant[]> {
  const of = await listMerchantWallets(db, after, limit)
  return of.length > 0 ? db.rows(listMerchants({ of })) : []
}

const lockMerchant = statement({
  name: 'lock-merchant-brand',
  reads: { brandKey: text() },
  text: 'SELECT brand_key FROM merchant WHERE merchant = :merchant FOR UPDATE',
})

const assign = statement({
  name: 'save-merchant-brand',
  text: 'UPDATE merchant SET brand_key = :brandKey WHERE merchant = :merchant',
})

const listMerchants = statement({
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
