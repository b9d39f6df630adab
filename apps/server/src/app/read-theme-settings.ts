import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { ThemeSettings } from '../pages/theme/make-theme.ts'
import type { StoredImage } from '../pages/theme/page-image.ts'
import type { Database } from '../platform/database/database.ts'
import type { Shop } from '../shop/shop.ts'
import { findShop } from '../shop/store.ts'
import { type Brand, brandName } from '../site/brand.ts'
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
  if (merchant === undefined) return brandSettings(await findBrandOfHost(db, host))
  const [shop, brand] = await Promise.all([findShop(db, merchant), findBrandOfMerchant(db, merchant)])
  const settings = brandSettings(brand)
  return shop ? { ...settings, ...shopSettings(shop, settings) } : settings
}

/** How the pages of a brand look by themselves. */
export function brandSettings(brand: Brand): ThemeSettings {
  const { brandLogoUrl, brandFaviconUrl, receiptBackgroundUrl, ...looks } = brand.theme
  const stored = (slot: string, url: string | undefined) => storedImage(`brand.${brand.key}`, slot, url)
  return {
    ...looks,
    brandName: brandName(brand),
    logo: stored('logo', brandLogoUrl),
    favicon: stored('icon', brandFaviconUrl),
    receiptBackground: stored('background', receiptBackgroundUrl),
  }
}

/** A logo belongs to a name: a shop that has a name of its own is not shown with the logo of its brand. */
function shopSettings(shop: Shop, brand: ThemeSettings): Partial<ThemeSettings> {
  const { brandLogoUrl, coverPhotoUrl, fontFamily, ...looks } = shop.theme
  const stored = (slot: string, url: string | undefined) =>
    storedImage(shop.merchant.toLowerCase(), slot, url)
  const name = shop.name.trim()
  return {
    ...looks,
    ...(fontFamily && { fontFamily }),
    ...(name && { brandName: name }),
    logo: stored('logo', brandLogoUrl) ?? (name ? undefined : brand.logo),
    favicon: brand.favicon ?? stored('icon', brandLogoUrl),
    cover: stored('cover', coverPhotoUrl),
  }
}

function storedImage(owner: string, slot: string, url: string | undefined): StoredImage | undefined {
  return url ? { owner, slot, url } : undefined
}
