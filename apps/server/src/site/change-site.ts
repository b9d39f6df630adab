import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput, pathOf } from '../kernel/api-error.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { applyChange, type Brand, type BrandChange, newBrand } from './brand.ts'
import {
  findMerchantBrand,
  insertBrand,
  lockBrand,
  moveDomains,
  saveBrand,
  saveMerchantBrand,
} from './store.ts'

/**
 * Changes the given fields of a brand. The first change of a partner brand creates the brand. Existing
 * receipts keep their fee and brand name.
 *
 * @param alongside - Runs last in the same transaction.
 * @throws {ApiError} `invalid_input` for a new partner without a name, or for a domain that belongs to
 * another brand.
 */
export async function changeSite(
  needs: { db: Database; clock: Clock },
  key: string,
  change: BrandChange,
  alongside: (tx: Database, brand: Brand) => Promise<unknown> = async () => {},
): Promise<Brand> {
  return needs.db.transaction(async (tx) => {
    const now = needs.clock.now()
    await insertBrand(tx, newBrand(key, now))
    const before = await lockBrand(tx, key)
    assert(before, 'the brand exists')
    const brand = applyChange(before, change, now)
    if (key !== ownBrandKey && brand.theme.brandName === undefined)
      throw invalidInput({ path: pathOf('theme', 'brandName'), message: 'is required for a new brand' })
    if (change.domains) {
      const taken = await moveDomains(tx, key, brand.domains)
      if (taken !== undefined)
        throw invalidInput({ path: 'domains', message: `${taken} is already the domain of another brand` })
    }
    await saveBrand(tx, brand)
    await alongside(tx, brand)
    return brand
  })
}

/**
 * Assigns a brand to a merchant and returns the previous brand. New receipts use its name, fee and payment
 * URLs. Existing receipts keep their own.
 *
 * @param alongside - Runs last in the same transaction.
 * @throws {ApiError} `not_found` for an unknown merchant; `invalid_input` for an unknown brand.
 */
export async function assignBrand(
  needs: { db: Database },
  merchant: Wallet,
  brandKey: string,
  alongside: (tx: Database, before: string) => Promise<unknown> = async () => {},
): Promise<string> {
  return needs.db.transaction(async (tx) => {
    if (brandKey !== ownBrandKey && !(await lockBrand(tx, brandKey)))
      throw invalidInput({ path: 'brandKey', message: 'is not a brand of this deployment' })
    const before = await findMerchantBrand(tx, merchant)
    if (before === undefined) throw new ApiError('not_found', 'Merchant not found')
    await saveMerchantBrand(tx, merchant, brandKey)
    await alongside(tx, before)
    return before
  })
}
