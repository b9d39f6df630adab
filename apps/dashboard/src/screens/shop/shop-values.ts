import type { components } from '../../api/schema.d.ts'
import { readCents } from '../../format/cents.ts'
import type { ShopConfig } from './shop-config.ts'

/** What the form of a shop's profile holds: everything as it is typed. */
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

/** A shop's fields by the first part of the API's path. */
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

/** A shop as its form shows it. */
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

/** What is sent for it. A slug that stays is left out: with one, the API accepts no change without its database. */
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
