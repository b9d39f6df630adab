import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { type Brand, brandBaseUrl, parseDomain, untouchedBrand } from './brand.ts'
import { findBrandOfDomain, findStoredBrand, findStoredBrandOfMerchant, listStoredBrands } from './store.ts'

/**
 * Returns the brand whose pages a `Host` serves, or otherwise the deployment's own brand. Do not use this for
 * a receipt's name and fee; use {@link findBrandOfMerchant} instead.
 *
 * @param host - Untrusted header, with or without a port. It can only select a configured brand.
 */
export async function findBrandOfHost(db: Database, host: string | undefined): Promise<Brand> {
  const domain = parseDomain(host?.replace(/:\d{1,5}$/, '') ?? '')
  return (await findBrandOfDomain(db, domain ?? '')) ?? untouchedBrand
}

/** Returns the brand that the operator assigned to a merchant, or otherwise the deployment's own brand. */
export async function findBrandOfMerchant(db: Database, merchant: Wallet): Promise<Brand> {
  return (await findStoredBrandOfMerchant(db, merchant)) ?? untouchedBrand
}

/**
 * Returns whether a brand's pages are available at a host: on its own domains, or at the service's address if
 * it has no domains.
 */
export async function isShownAt(db: Database, brandKey: string, host: string | undefined): Promise<boolean> {
  const asked = await findBrandOfHost(db, host)
  if (asked.key === brandKey) return true
  return asked.key === ownBrandKey && (await findBrand(db, brandKey)).domains.length === 0
}

export async function findBrand(db: Database, key: string): Promise<Brand> {
  return (await findStoredBrand(db, key)) ?? { ...untouchedBrand, key }
}

export async function findBaseUrl(db: Database, brandKey: string, baseUrl: string): Promise<string> {
  return brandBaseUrl(await findBrand(db, brandKey), baseUrl)
}

export async function findBaseUrls(db: Database, baseUrl: string): Promise<(brandKey: string) => string> {
  const urls = new Map(Object.entries(await listBaseUrls(db, baseUrl)))
  return (brandKey) => urls.get(brandKey) ?? baseUrl
}

export async function listBaseUrls(db: Database, baseUrl: string): Promise<Readonly<Record<string, string>>> {
  const brands = await listStoredBrands(db)
  return Object.fromEntries(brands.map((brand) => [brand.key, brandBaseUrl(brand, baseUrl)]))
}

export async function listBrands(db: Database): Promise<Brand[]> {
  const stored = await listStoredBrands(db)
  const own = stored.find(({ key }) => key === ownBrandKey) ?? untouchedBrand
  return [own, ...stored.filter(({ key }) => key !== ownBrandKey)]
}
