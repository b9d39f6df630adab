import type { components } from '../../api/schema.d.ts'
import { readCents } from '../../format/cents.ts'
import type { ShopConfig } from './shop-config.ts'

export type ShopValues = {
  name: string
  description: string
  bio: string
  slug: string
  arrangement: ShopConfig['arrangement']
  industryPack: NonNullable<ShopConfig['industryPack']> | ''
  xpPerDollar: string
  links: { label: string; url: string }[]
}

type Change = Omit<
  ShopConfig,
  'slug' | 'theme' | 'setupComplete' | 'createdAt' | 'updatedAt' | 'industryPackActivatedAt'
> &
  Partial<Pick<ShopConfig, 'slug'>>

/** Form fields, named like the first segment of the paths in API errors. */
export const shopFields = [
  'name',
  'description',
  'bio',
  'slug',
  'arrangement',
  'industryPack',
  'xpPerDollar',
  'links',
] as const satisfies readonly (keyof ShopValues & keyof components['schemas']['ShopConfig'])[]

export function valuesOf(shop: ShopConfig | null): ShopValues {
  return {
    name: shop?.name ?? '',
    description: shop?.description ?? '',
    bio: shop?.bio ?? '',
    slug: shop?.slug ?? '',
    arrangement: shop?.arrangement ?? 'grid',
    industryPack: shop?.industryPack ?? '',
    xpPerDollar: String(shop?.xpPerDollar ?? 0),
    links: (shop?.links ?? []).map(({ label, url }) => ({ label, url })),
  }
}

/**
 * Returns the request. Omits an unchanged slug, because the API rejects slugs while its database is
 * unavailable.
 */
export function changeOf(values: ShopValues, isSlugChanged: boolean): Change {
  const { name, description, bio, slug, arrangement, industryPack, links } = values
  const points = readCents(values.xpPerDollar) ?? 0n
  return {
    name: name.trim(),
    description,
    bio,
    ...(isSlugChanged && { slug: slug || null }),
    arrangement,
    industryPack: industryPack || null,
    xpPerDollar: Number(points) / 100,
    links: links.map(({ label, url }) => ({ label: label.trim(), url: url.trim() })),
  }
}
