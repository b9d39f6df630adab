import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { type Brand, brandBaseUrl, parseDomain, untouchedBrand } from './brand.ts'
import { findBrandOfDomain, findStoredBrand, findStoredBrandOfMerchant, listStoredBrands } from './store.ts'

/**
 * The brand whose pages a request asks for: the one that has its `Host` among its domains, else the deployment's
 * own. Whose name and fee a receipt gets never follows from it: that is {@link findBrandOfMerchant}.
 *
 * @param host - As it was sent, with or without a port; it chooses among what is configured and goes nowhere else.
 */
export async function findBrandOfHost(db: Database, host: string | undefined): Promise<Brand> {
  const domain = parseDomain(host?.replace(/:\d{1,5}$/, '') ?? '')
  return (await findBrandOfDomain(db, domain ?? '')) ?? untouchedBrand
}

/** The brand a merchant sells under, as the operator has said; the deployment's own else. */
export async function findBrandOfMerchant(db: Database, merchant: Wallet): Promise<Brand> {
  return (await findStoredBrandOfMerchant(db, merchant)) ?? untouchedBrand
}

/**
 * Whether what was made under a brand is shown where a request came to: on the brand's own domains, and at the
 * service's address where it has none.
 */
export async function isShownAt(db: Database, brandKey: string, host: string | undefined): Promise<boolean> {
  const asked = await findBrandOfHost(db, host)
  if (asked.key === brandKey) return true
  return asked.key === ownBrandKey && (await findBrand(db, brandKey)).domains.length === 0
}

/** The brand that something was made under. */
export async function findBrand(db: Database, key: string): Promise<Brand> {
  return (await findStoredBrand(db, key)) ?? { ...untouchedBrand, key }
}

/** What the addresses begin with of what was made under a brand. */
export async function findBaseUrl(db: Database, brandKey: string, baseUrl: string): Promise<string> {
  return brandBaseUrl(await findBrand(db, brandKey), baseUrl)
}

/** As {@link findBaseUrl} for many brands at once. */
export async function findBaseUrls(db: Database, baseUrl: string): Promise<(brandKey: string) => string> {
  const urls = new Map(Object.entries(await listBaseUrls(db, baseUrl)))
  return (brandKey) => urls.get(brandKey) ?? baseUrl
}

/** The base URL of every brand that was ever stored, by its key. */
export async function listBaseUrls(db: Database, baseUrl: string): Promise<Readonly<Record<string, string>>> {
  const brands = await listStoredBrands(db)
  return Object.fromEntries(brands.map((brand) => [brand.key, brandBaseUrl(brand, baseUrl)]))
}

/** All brands, the deployment's own first, the others by key. */
export async function listBrands(db: Database): Promise<Brand[]> {
  const stored = await listStoredBrands(db)
  const own = stored.find(({ key }) => key === ownBrandKey) ?? untouchedBrand
  return [own, ...stored.filter(({ key }) => key !== ownBrandKey)]
}
