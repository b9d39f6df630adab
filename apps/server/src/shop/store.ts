import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import type { Shop } from './shop.ts'

/** The merchant's shop, or `undefined`. */
export async function findShop(db: Database, merchant: Wallet): Promise<Shop | undefined> {
  const row = await db.row<ShopRow>(find, [merchant])
  return row && fromRow(row)
}

/** As {@link findShop}, and holds the row until the transaction ends. */
export async function lockShop(tx: Database, merchant: Wallet): Promise<Shop | undefined> {
  const row = await tx.row<ShopRow>(lock, [merchant])
  return row && fromRow(row)
}

/** Stores a new shop; one that is there already stays as it is. */
export async function insertShop(tx: Database, shop: Shop): Promise<void> {
  await tx.run(insert, valuesOf(shop))
}

/** Stores everything of a shop whose row is locked, but when it was made. */
export async function saveShop(tx: Database, shop: Shop): Promise<void> {
  await tx.run(save, valuesOf(shop).slice(0, -1))
}

/** Whose shop a slug is. */
export async function findSlugOwner(db: Database, slug: string): Promise<Wallet | undefined> {
  const row = await db.row<{ merchant: string }>(findSlug, [slug])
  return row?.merchant as Wallet | undefined
}

/** Takes a slug for a merchant; `false` where another one has it, or is just taking it. */
export async function claimSlug(tx: Database, merchant: Wallet, slug: string): Promise<boolean> {
  if ((await tx.run(claim, [slug, merchant])) > 0) return true
  return (await findSlugOwner(tx, slug)) === merchant
}

/** Gives a slug of the merchant back: anybody may take it from then on. */
export async function releaseSlug(tx: Database, merchant: Wallet, slug: string): Promise<void> {
  await tx.run(release, [slug, merchant])
}

type ShopRow = {
  merchant: string
  name: string
  description: string
  bio: string
  theme: Shop['theme']
  arrangement: Shop['arrangement']
  xp_per_dollar_hundredths: bigint
  slug: string | null
  links: Shop['links']
  industry_pack: NonNullable<Shop['industryPack']> | null
  industry_pack_activated_at: bigint | null
  created_at: bigint
  updated_at: bigint
}

function fromRow(row: ShopRow): Shop {
  const activatedAt = row.industry_pack_activated_at
  return {
    merchant: row.merchant as Wallet,
    name: row.name,
    description: row.description,
    bio: row.bio,
    theme: row.theme,
    arrangement: row.arrangement,
    xpPerDollarHundredths: row.xp_per_dollar_hundredths,
    slug: row.slug ?? undefined,
    links: row.links,
    industryPack: row.industry_pack ?? undefined,
    industryPackActivatedAt: activatedAt === null ? undefined : (Number(activatedAt) as UnixMs),
    createdAt: Number(row.created_at) as UnixMs,
    updatedAt: Number(row.updated_at) as UnixMs,
  }
}

function valuesOf(shop: Shop) {
  return [
    shop.merchant,
    shop.name,
    shop.description,
    shop.bio,
    JSON.stringify(shop.theme),
    shop.arrangement,
    shop.xpPerDollarHundredths,
    shop.slug ?? null,
    JSON.stringify(shop.links),
    shop.industryPack ?? null,
    shop.industryPackActivatedAt ?? null,
    shop.updatedAt,
    shop.createdAt,
  ]
}

const columns = `merchant, name, description, bio, theme, arrangement, xp_per_dollar_hundredths, slug, links,
  industry_pack, industry_pack_activated_at, updated_at, created_at`

const find = { name: 'find-shop', text: `SELECT ${columns} FROM shop WHERE merchant = $1` }

const lock = { name: 'lock-shop', text: `SELECT ${columns} FROM shop WHERE merchant = $1 FOR UPDATE` }

const insert = {
  name: 'insert-shop',
  text: `INSERT INTO shop (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    ON CONFLICT (merchant) DO NOTHING`,
}

const save = {
  name: 'save-shop',
  text: `UPDATE shop SET name = $2, description = $3, bio = $4, theme = $5, arrangement = $6,
      xp_per_dollar_hundredths = $7, slug = $8, links = $9, industry_pack = $10, industry_pack_activated_at = $11,
      updated_at = $12
    WHERE merchant = $1`,
}

const findSlug = { name: 'find-shop-slug', text: 'SELECT merchant FROM shop_slug WHERE slug = $1' }

const claim = {
  name: 'claim-shop-slug',
  text: 'INSERT INTO shop_slug (slug, merchant) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING',
}

const release = {
  name: 'release-shop-slug',
  text: 'DELETE FROM shop_slug WHERE slug = $1 AND merchant = $2',
}
