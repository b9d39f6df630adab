import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { ThemeSettings } from '../pages/theme/theme-settings.ts'
import type { Database } from '../platform/database/database.ts'
import { findShop } from '../shop/store.ts'
import { brandName } from '../site/brand.ts'
import { findBrandOfHost, findBrandOfMerchant } from '../site/find-brand.ts'

/**
 * How a merchant's pages are to look: what its shop chose, and its brand where the shop chose nothing. Without a
 * merchant, the look of the brand whose pages the host asks for.
 */
export async function readThemeSettings(
  db: Database,
  merchant: Wallet | undefined,
  host: string | undefined,
): Promise<ThemeSettings> {
  if (merchant === undefined) {
    const brand = await findBrandOfHost(db, host)
    return { ...brand.theme, brandName: brandName(brand) }
  }
  const [shop, brand] = await Promise.all([findShop(db, merchant), findBrandOfMerchant(db, merchant)])
  const name = shop?.name.trim()
  return { ...brand.theme, ...shop?.theme, brandName: name || brandName(brand) }
}
