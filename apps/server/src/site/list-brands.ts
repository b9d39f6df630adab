import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Database } from '../platform/database/database.ts'
import { type Brand, untouchedBrand } from './brand.ts'
import { listStoredBrands } from './store.ts'

/** All brands, the deployment's own first, the others by key. */
export async function listBrands(db: Database): Promise<Brand[]> {
  const stored = await listStoredBrands(db)
  const own = stored.find(({ key }) => key === ownBrandKey) ?? untouchedBrand
  return [own, ...stored.filter(({ key }) => key !== ownBrandKey)]
}
