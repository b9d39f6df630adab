import type { ShopConfig } from '@sluice/protocol/api/shop.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { defaultTheme, type Shop } from './shop.ts'

/**
 * A shop as the contract writes it.
 *
 * @param hasSplit - Without a split nobody can pay here, so the shop is not complete.
 */
export function viewShop(shop: Shop, hasSplit: boolean): ShopConfig {
  return {
    name: shop.name,
    description: shop.description,
    bio: shop.bio,
    theme: { ...defaultTheme, ...shop.theme },
    arrangement: shop.arrangement,
    xpPerDollar: Number(formatUnits(shop.xpPerDollarHundredths, 2)),
    slug: shop.slug ?? null,
    links: shop.links.map(({ label, url }) => ({ label, url })),
    industryPack: shop.industryPack ?? null,
    industryPackActivatedAt: shop.industryPackActivatedAt ?? null,
    setupComplete: shop.name.trim() !== '' && shop.slug !== undefined && hasSplit,
    createdAt: shop.createdAt,
    updatedAt: shop.updatedAt,
  }
}
