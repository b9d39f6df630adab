import { join } from 'node:path'
import { brandKeyPattern } from '@sluice/protocol/brand.ts'
import { parseColour } from '@sluice/protocol/colour.ts'
import { parseWallet } from '@sluice/protocol/wallet.ts'
import { ImageEncoder } from '../images/image-encoder.ts'
import { ImageFiles } from '../images/image-files.ts'
import { ImageStore } from '../images/image-store.ts'
import { findProduct } from '../inventory/store.ts'
import type { FoundImage } from '../pages/images/register-images.ts'
import type { ThemeSettings } from '../pages/theme/make-theme.ts'
import type { ImageSlot } from '../pages/theme/page-image.ts'
import type { Database } from '../platform/database/database.ts'
import { findBrand } from '../site/find-brand.ts'
import { brandSettings, readThemeSettings } from './read-theme-settings.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

/**
 * The picture that a merchant (by its wallet in lower case) or a brand (`brand.` and its key) has in a place of its
 * configuration; products that are not sold have none.
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

/** The pictures of merchants, kept in the data directory. Its timers are the machine's, whatever time the chain has. */
export async function openImages(
  { clock, log, images }: Runtime,
  { dataDir }: CompleteConfig,
): Promise<ImageStore> {
  const files = await ImageFiles.open({ log }, join(dataDir, 'images'), maxFileBytes)
  return new ImageStore({ outbound: images, clock, log, encoder: new ImageEncoder({ clock }), files })
}
