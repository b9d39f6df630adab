import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import type { Brand } from './brand.ts'

/** The brand with this key, if it was ever stored. */
export async function findStoredBrand(db: Database, key: string): Promise<Brand | undefined> {
  const row = await db.row<BrandRow>(find, [key])
  return row && fromRow(row)
}

/** The brand that has this domain, else the deployment's own, if it was ever stored. */
export async function findBrandOfDomain(db: Database, domain: string): Promise<Brand | undefined> {
  const row = await db.row<BrandRow>(findOfDomain, [domain, ownBrandKey])
  return row && fromRow(row)
}

/** The brand a merchant sells under, if it was ever stored. */
export async function findStoredBrandOfMerchant(db: Database, merchant: Wallet): Promise<Brand | undefined> {
  const row = await db.row<BrandRow>(findOfMerchant, [merchant, ownBrandKey])
  return row && fromRow(row)
}

/** As {@link findStoredBrand}, and holds the row until the transaction ends. */
export async function lockBrand(tx: Database, key: string): Promise<Brand | undefined> {
  const row = await tx.row<BrandRow>(lock, [key])
  return row && fromRow(row)
}

/** All brands that were ever stored, by key. */
export async function listStoredBrands(db: Database): Promise<Brand[]> {
  return (await db.rows<BrandRow>(list)).map(fromRow)
}

/** All domains of all brands. */
export async function listBrandDomains(db: Database): Promise<string[]> {
  return (await db.rows<{ domain: string }>(listDomains)).map(({ domain }) => domain)
}

/** Stores a new brand; one that is there already stays as it is. */
export async function insertBrand(tx: Database, brand: Brand): Promise<void> {
  await tx.run(insert, [...valuesOf(brand), brand.createdAt])
}

/** Stores everything of a brand whose row is locked, but when it was made. */
export async function saveBrand(tx: Database, brand: Brand): Promise<void> {
  await tx.run(save, valuesOf(brand))
}

/** Gives a brand these domains instead of those it had; the first one that another brand has, if there is one. */
export async function moveDomains(
  tx: Database,
  key: string,
  domains: readonly string[],
): Promise<string | undefined> {
  await tx.run(releaseDomains, [key, domains])
  await tx.run(claimDomains, [key, domains])
  const row = await tx.row<{ domain: string }>(findForeign, [key, domains])
  return row?.domain
}

type BrandRow = {
  key: string
  domains: string[]
  theme: Brand['theme']
  processing_fee_hundredths: bigint | null
  default_payment_token: Brand['defaultPaymentToken']
  reserve_ratios: Record<string, number> | null
  created_at: bigint
  updated_at: bigint
}

function fromRow(row: BrandRow): Brand {
  return {
    key: row.key,
    domains: row.domains,
    theme: row.theme,
    processingFeeHundredths: row.processing_fee_hundredths ?? undefined,
    defaultPaymentToken: row.default_payment_token,
    reserveRatios: row.reserve_ratios ?? undefined,
    createdAt: Number(row.created_at) as UnixMs,
    updatedAt: Number(row.updated_at) as UnixMs,
  }
}

function valuesOf(brand: Brand) {
  return [
    brand.key,
    brand.domains,
    JSON.stringify(brand.theme),
    brand.processingFeeHundredths ?? null,
    brand.defaultPaymentToken,
    brand.reserveRatios ? JSON.stringify(brand.reserveRatios) : null,
    brand.updatedAt,
  ]
}

const columns = `key, domains, theme, processing_fee_hundredths, default_payment_token, reserve_ratios, updated_at,
  created_at`

const find = { name: 'find-brand', text: `SELECT ${columns} FROM brand WHERE key = $1` }

const findOfDomain = {
  name: 'find-brand-of-domain',
  text: `SELECT ${columns} FROM brand
    WHERE key = coalesce((SELECT brand_key FROM brand_domain WHERE domain = $1), $2)`,
}

const findOfMerchant = {
  name: 'find-brand-of-merchant',
  text: `SELECT ${columns} FROM brand
    WHERE key = coalesce((SELECT brand_key FROM merchant WHERE merchant = $1), $2)`,
}

const lock = { name: 'lock-brand', text: `SELECT ${columns} FROM brand WHERE key = $1 FOR UPDATE` }

const list = { name: 'list-brands', text: `SELECT ${columns} FROM brand ORDER BY key` }

const listDomains = { name: 'list-brand-domains', text: 'SELECT domain FROM brand_domain' }

const insert = {
  name: 'insert-brand',
  text: `INSERT INTO brand (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (key) DO NOTHING`,
}

const save = {
  name: 'save-brand',
  text: `UPDATE brand SET domains = $2, theme = $3, processing_fee_hundredths = $4, default_payment_token = $5,
      reserve_ratios = $6, updated_at = $7
    WHERE key = $1`,
}

const releaseDomains = {
  name: 'release-brand-domains',
  text: 'DELETE FROM brand_domain WHERE brand_key = $1 AND domain <> ALL($2)',
}

const claimDomains = {
  name: 'claim-brand-domains',
  text: `INSERT INTO brand_domain (domain, brand_key) SELECT domain, $1 FROM unnest($2::text[]) AS domain ORDER BY domain
    ON CONFLICT (domain) DO NOTHING`,
}

const findForeign = {
  name: 'find-foreign-brand-domain',
  text: 'SELECT domain FROM brand_domain WHERE domain = ANY($2) AND brand_key <> $1 ORDER BY domain LIMIT 1',
}
