import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { assert } from '../kernel/assert.ts'
import type { Clock } from '../kernel/clock.ts'
import { invalidInput, pathOf, Refusal } from '../kernel/refusal.ts'
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
 * Changes what is given of a brand and keeps the rest; the first change of a partner's makes it.
 *
 * Receipts keep the fee and the name they were made with.
 *
 * @param alongside - Runs in the same transaction, last: both or neither.
 * @throws {Refusal} `invalid_input` for a new partner without a name, or a domain that another brand has.
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
    assert(before, 'the brand was there or has just been made')
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
 * Makes a merchant sell under a brand: its receipts from now on have that brand's name, fee and payment URLs.
 * Those it has made before keep theirs. The brand it had before.
 *
 * @param alongside - Runs in the same transaction, last: both or neither.
 * @throws {Refusal} `not_found` for an unknown merchant, `invalid_input` for a brand nobody has made.
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
    if (before === undefined) throw new Refusal('not_found', 'Merchant not found')
    await saveMerchantBrand(tx, merchant, brandKey)
    await alongside(tx, before)
    return before
  })
}
