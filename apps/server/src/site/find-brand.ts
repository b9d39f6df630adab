import type { Database } from '../platform/database.ts'
import { type Brand, brandBaseUrl, untouchedBrand } from './brand.ts'
import { parseDomain } from './domain.ts'
import { findBrandOfDomain, findStoredBrand } from './store.ts'

/**
 * The brand a request came to: the one that has its `Host` among its domains, else the deployment's own.
 *
 * @param host - As it was sent, with or without a port; it chooses among what is configured and goes nowhere else.
 */
export async function findBrandOfHost(db: Database, host: string | undefined): Promise<Brand> {
  const domain = parseDomain(host?.replace(/:\d{1,5}$/, '') ?? '')
  return (await findBrandOfDomain(db, domain ?? '')) ?? untouchedBrand
}

/** The brand that something was made under. */
export async function findBrand(db: Database, key: string): Promise<Brand> {
  return (await findStoredBrand(db, key)) ?? { ...untouchedBrand, key }
}

/** What the addresses begin with of what was made under a brand. */
export async function findBaseUrl(db: Database, brandKey: string, baseUrl: string): Promise<string> {
  return brandBaseUrl(await findBrand(db, brandKey), baseUrl)
}
