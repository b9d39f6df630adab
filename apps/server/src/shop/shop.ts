import type { Arrangement, IndustryPack, ShopConfig, ShopTheme } from '@sluice/protocol/api/shop.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { defaultLook } from '@sluice/protocol/theme/default-look.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

/** How a merchant shows itself (contract: Shop configuration). */
export type Shop = {
  readonly merchant: Wallet
  readonly name: string
  readonly description: string
  readonly bio: string
  /** What the merchant chose; the rest is {@link defaultTheme}. */
  readonly theme: Partial<ShopTheme>
  readonly arrangement: Arrangement
  /** Hundredths of a point for each dollar. */
  readonly xpPerDollarHundredths: bigint
  readonly slug: string | undefined
  readonly links: readonly { readonly label: string; readonly url: string }[]
  readonly industryPack: IndustryPack | undefined
  readonly industryPackActivatedAt: UnixMs | undefined
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
}

/** What of a shop is to change, checked: what is absent stays, null takes away. */
export type ShopChange = Partial<
  Pick<Shop, 'name' | 'description' | 'bio' | 'theme' | 'arrangement' | 'xpPerDollarHundredths' | 'links'> & {
    readonly slug: string | null
    readonly industryPack: IndustryPack | null
  }
>

/** How a shop looks whose merchant has chosen nothing. */
export const defaultTheme: ShopTheme = defaultLook

/** A shop of which nothing is said yet. */
export function newShop(merchant: Wallet, now: UnixMs): Shop {
  return {
    merchant,
    name: '',
    description: '',
    bio: '',
    theme: {},
    arrangement: 'grid',
    xpPerDollarHundredths: 0n,
    slug: undefined,
    links: [],
    industryPack: undefined,
    industryPackActivatedAt: undefined,
    createdAt: now,
    updatedAt: now,
  }
}

/** The shop after a change. A pack that changes to another one is activated now; the same one stays as it was. */
export function applyChange(shop: Shop, change: ShopChange, now: UnixMs): Shop {
  const { slug, industryPack, theme, ...given } = change
  const pack = industryPack === undefined ? shop.industryPack : (industryPack ?? undefined)
  return {
    ...shop,
    ...given,
    theme: { ...shop.theme, ...theme },
    slug: slug === undefined ? shop.slug : (slug ?? undefined),
    industryPack: pack,
    industryPackActivatedAt: pack === shop.industryPack ? shop.industryPackActivatedAt : pack && now,
    updatedAt: now,
  }
}

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
