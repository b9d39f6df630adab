import type { Arrangement, IndustryPack, ShopConfig, ShopTheme } from '@sluice/protocol/api/shop.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { defaultLook } from '@sluice/protocol/theme/default-look.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'

export type Shop = {
  readonly merchant: Wallet
  readonly name: string
  readonly description: string
  readonly bio: string
  /** Explicitly set values. {@link defaultTheme} supplies the rest. */
  readonly theme: Partial<ShopTheme>
  readonly arrangement: Arrangement
  /** Hundredths of a point per dollar. */
  readonly xpPerDollarHundredths: bigint
  readonly slug: string | undefined
  readonly links: readonly { readonly label: string; readonly url: string }[]
  readonly industryPack: IndustryPack | undefined
  readonly industryPackActivatedAt: UnixMs | undefined
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
}

/** Validated change of a shop. A missing key leaves the field unchanged; null removes the value. */
export type ShopChange = Partial<
  Pick<Shop, 'name' | 'description' | 'bio' | 'theme' | 'arrangement' | 'xpPerDollarHundredths' | 'links'> & {
    readonly slug: string | null
    readonly industryPack: IndustryPack | null
  }
>

export const defaultTheme: ShopTheme = defaultLook

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

/** Returns the shop after a change. Only a change of the industry pack updates the activation time. */
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
