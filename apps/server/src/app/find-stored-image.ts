import { join } from 'node:path'
import { brandKeyPattern } from '@sluice/protocol/brand.ts'
import { parseColour } from '@sluice/protocol/colour.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { ImageEncoder } from '../images/image-encoder.ts'
import { ImageFiles } from '../images/image-files.ts'
import { ImageStore } from '../images/image-store.ts'
import { findProduct } from '../inventory/store.ts'
import type { FoundImage } from '../pages/images/register-images.ts'
import type { ThemeSettings } from '../pages/theme/make-theme.ts'
import type { ImageSlot, StoredImage } from '../pages/theme/page-image.ts'
import type { Database } from '../platform/database/database.ts'
import type { Shop } from '../shop/shop.ts'
import { findShop } from '../shop/store.ts'
import { type Brand, brandName } from '../site/brand.ts'
import { findBrand, findBrandOfHost, findBrandOfMerchant } from '../site/find-brand.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

/**
 * Returns the image in a slot of a merchant (lower-case wallet) or a brand (`brand.` and its key).
 *
 * Inactive products have none.
 */
export async function findStoredImage(
  db: Database,
  owner: string,
  slot: ImageSlot,
): Promise<FoundImage | undefined> {
  const settings = await readSettings(db, owner)
  if (!settings) return undefined
  const look = { primary: parseColour(settings.primaryColor ?? '')?.slice(0, 7) }
  if (slot.kind === 'product') {
    const merchant = parseWallet(owner)
    const product = merchant && (await findProduct(db, merchant, slot.productId))
    const url = product?.status === 'active' ? product.images[slot.index] : undefined
    return product && url ? { ...look, url, name: product.name } : undefined
  }
  const { logo, favicon, cover, receiptBackground } = settings
  const stored = [logo, favicon, cover, receiptBackground].find(
    (image) => image?.owner === owner && image.slot === slot.name,
  )
  return stored && { ...look, url: stored.url, name: settings.brandName }
}

async function readSettings(db: Database, owner: string): Promise<ThemeSettings | undefined> {
  if (owner.startsWith('brand.')) {
    const key = owner.slice('brand.'.length)
    const isKey = key.length <= 32 && new RegExp(brandKeyPattern).test(key)
    return isKey ? brandSettings(await findBrand(db, key)) : undefined
  }
  const merchant = owner === owner.toLowerCase() ? parseWallet(owner) : undefined
  return merchant && readThemeSettings(db, merchant, undefined)
}

const maxFileBytes = 256 * 1024 * 1024

/** Opens the image store in the data directory. The store uses the system clock, not the chain's time. */
export async function openImages(
  { clock, log, images }: Runtime,
  { dataDir }: CompleteConfig,
): Promise<ImageStore> {
  const files = await ImageFiles.open({ log }, join(dataDir, 'images'), maxFileBytes)
  return new ImageStore({ outbound: images, clock, log, encoder: new ImageEncoder({ clock }), files })
}

/**
 * Returns the theme of a shop, with its brand's values for unset fields.
 *
 * Without a merchant, returns the theme of the host's brand.
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

function brandSettings(brand: Brand): ThemeSettings {
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

/** A shop with its own name never shows the brand's logo. */
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
