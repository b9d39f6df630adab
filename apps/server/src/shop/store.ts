import { slugPattern } from '@sluice/protocol/api/shop.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, json, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { assignAllBut, columnsOf, table, valuesOf } from '../platform/database/table.ts'
import type { Shop } from './shop.ts'

export async function findShop(db: Database, merchant: Wallet): Promise<Shop | undefined> {
  return db.row(find({ merchant }))
}

export async function lockShop(tx: Database, merchant: Wallet): Promise<Shop | undefined> {
  return tx.row(lock({ merchant }))
}

export async function insertShop(tx: Database, shop: Shop): Promise<void> {
  await tx.run(insert(shop))
}

export async function saveShop(tx: Database, shop: Shop): Promise<void> {
  await tx.run(save(shop))
}

export async function findSlugOwner(db: Database, slug: string): Promise<Wallet | undefined> {
  return (await db.row(findSlug({ slug })))?.merchant
}

/** Claims a slug. Returns `false` if another merchant has it. */
export async function claimSlug(tx: Database, merchant: Wallet, slug: string): Promise<boolean> {
  if ((await tx.run(claim({ slug, merchant }))) > 0) return true
  return (await findSlugOwner(tx, slug)) === merchant
}

export async function releaseSlug(tx: Database, merchant: Wallet, slug: string): Promise<void> {
  await tx.run(release({ slug, merchant }))
}

const shopTable = table<Shop>('shop', {
  merchant: text(),
  name: text(),
  description: text(),
  bio: text(),
  theme: json(),
  arrangement: text(),
  xpPerDollarHundredths: int8(),
  slug: optional(text()),
  links: json(),
  industryPack: optional(text()),
  industryPackActivatedAt: optional(time()),
  createdAt: time(),
  updatedAt: time(),
})

const find = statement({
  name: 'find-shop',
  text: `SELECT ${columnsOf(shopTable)} FROM shop WHERE merchant = :merchant`,
  reads: shopTable,
})

const lock = statement({
  name: 'lock-shop',
  text: `SELECT ${columnsOf(shopTable)} FROM shop WHERE merchant = :merchant FOR UPDATE`,
  reads: shopTable,
})

const insert = statement({
  name: 'insert-shop',
  text: `INSERT INTO shop ${valuesOf(shopTable)} ON CONFLICT (merchant) DO NOTHING`,
  writes: shopTable,
})

const save = statement({
  name: 'save-shop',
  text: `UPDATE shop SET ${assignAllBut(shopTable, ['merchant', 'createdAt'])} WHERE merchant = :merchant`,
  writes: shopTable,
})

const findSlug = statement({
  name: 'find-shop-slug',
  text: 'SELECT merchant FROM shop_slug WHERE slug = :slug',
  reads: { merchant: text<Wallet>() },
})

const claim = statement({
  name: 'claim-shop-slug',
  text: 'INSERT INTO shop_slug (slug, merchant) VALUES (:slug, :merchant) ON CONFLICT (slug) DO NOTHING',
})

const release = statement({
  name: 'release-shop-slug',
  text: 'DELETE FROM shop_slug WHERE slug = :slug AND merchant = :merchant',
})

const form = new RegExp(slugPattern)

export async function findMerchantBySlug(db: Database, slug: string): Promise<Wallet | undefined> {
  return form.test(slug) ? findSlugOwner(db, slug) : undefined
}

/** Returns hundredths of a point per dollar, or 0 if the merchant has no shop. */
export async function findPointsPerDollar(db: Database, merchant: Wallet): Promise<bigint> {
  return (await findShop(db, merchant))?.xpPerDollarHundredths ?? 0n
}

export async function findShopName(db: Database, merchant: Wallet): Promise<string | undefined> {
  return (await findShop(db, merchant))?.name.trim() || undefined
}

export async function findShopNames(
  db: Database,
  merchants: readonly Wallet[],
): Promise<ReadonlyMap<Wallet, string>> {
  if (merchants.length === 0) return new Map()
  const rows = await db.rows(findNames({ merchants }))
  return new Map(
    rows.flatMap(({ merchant, name }) => (name.trim() ? [[merchant, name.trim()] as const] : [])),
  )
}

const findNames = statement({
  name: 'find-shop-names',
  reads: { merchant: text<Wallet>(), name: text() },
  text: 'SELECT merchant, name FROM shop WHERE merchant = ANY(:merchants::text[])',
})
