import type { Wallet } from '@sluice/protocol/wallet.ts'
import { findMerchant } from '../merchants/find-merchant.ts'
import type { Database } from '../platform/database.ts'
import { findShopName } from '../shop/find-shop-name.ts'
import { brandBaseUrl, brandName } from '../site/brand.ts'
import { findBrand, findBrandOfHost } from '../site/find-brand.ts'
import { findCurrentSplit } from '../split/find-split.ts'
import type { ReceiptHome } from './make-receipt.ts'
import type { Receipt } from './receipt.ts'

/** Under whose name a receipt is made, and what that brand takes on top. */
export type ReceiptBrand = {
  readonly key: string
  readonly name: string
  /** Hundredths of a percent of the total. */
  readonly feeHundredths?: bigint | undefined
}

/** The names a merchant sells under and its split, as they are now. */
export async function findHome(needs: { db: Database }, merchant: Wallet): Promise<ReceiptHome> {
  const { db } = needs
  const [owner, shopName, split] = await Promise.all([
    findMerchant(db, merchant),
    findShopName(db, merchant),
    findCurrentSplit(db, merchant),
  ])
  return { owner, shopName, split }
}

/** The same needs, under the brand whose domain a request came to. */
export async function underBrand<Needs extends { readonly db: Database }>(
  needs: Needs,
  host: string | undefined,
): Promise<Needs & { readonly brand: ReceiptBrand }> {
  const brand = await findBrandOfHost(needs.db, host)
  const { key, processingFeeHundredths: feeHundredths } = brand
  return { ...needs, brand: { key, name: brandName(brand), feeHundredths } }
}

/** What the addresses of a receipt begin with: its brand's own domain where it has one. */
export async function receiptBaseUrl(
  needs: { db: Database; site: { readonly baseUrl: string } },
  receipt: Pick<Receipt, 'brandKey'>,
): Promise<string> {
  return brandBaseUrl(await findBrand(needs.db, receipt.brandKey), needs.site.baseUrl)
}
