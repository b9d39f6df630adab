import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput, Refusal } from '../kernel/refusal.ts'
import type { Database } from '../platform/database/database.ts'
import { findMerchantBrand, saveMerchantBrand } from './merchant-brand-store.ts'
import { lockBrand } from './store.ts'

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
