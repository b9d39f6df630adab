import { createHash } from 'node:crypto'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type ImageKind, imageWidths } from '../../images/image.ts'

/** A picture of a merchant or a brand, at addresses of ours: remote pictures reach a page through our proxy only. */
export type PageImage = {
  readonly url: string
  /** The same in several widths, for `srcset`. */
  readonly srcset: string
}

/**
 * A remote picture by where it is stored: our addresses name the place and never the URL, so that nobody can have
 * another one fetched by writing an address.
 */
export type StoredImage = {
  /** A merchant's wallet in lower case, or `brand.` and the key of a brand. */
  readonly owner: string
  readonly slot: string
  readonly url: string
}

const kindOfSlot: Readonly<Record<string, ImageKind>> = {
  logo: 'logo',
  icon: 'icon',
  cover: 'cover',
  background: 'cover',
}

/** A place for pictures by its name in our addresses. */
export type ImageSlot =
  | { readonly kind: Exclude<ImageKind, 'product'>; readonly name: string }
  | { readonly kind: 'product'; readonly productId: string; readonly index: number }

/** The place a name stands for: `logo`, `icon`, `cover`, `background`, `product.<index>.<id>`. */
export function parseSlot(name: string): ImageSlot | undefined {
  const kind = Object.hasOwn(kindOfSlot, name) ? kindOfSlot[name] : undefined
  if (kind && kind !== 'product') return { kind, name }
  const [, index, productId] = /^product\.([0-9])\.(.{1,128})$/s.exec(name) ?? []
  return index && productId ? { kind: 'product', productId, index: Number(index) } : undefined
}

/** The picture at the address of each width; it changes with the URL behind it. */
export function pageImage({ owner, slot, url }: StoredImage): PageImage {
  const widths = imageWidths[parseSlot(slot)?.kind ?? 'cover']
  const addressOf = (width: number) =>
    `/images/${owner}/${encodeURIComponent(slot)}/${imageHash(url)}-${width}.webp`
  return {
    url: addressOf(widths[0] ?? 0),
    srcset: widths.map((width) => `${addressOf(width)} ${width}w`).join(', '),
  }
}

/** One of a product's pictures, by its place among them. */
export function productImage(merchant: Wallet, productId: string, index: number, url: string): PageImage {
  return pageImage({ owner: merchant.toLowerCase(), slot: `product.${index}.${productId}`, url })
}

/** What stands for a URL in an address. */
export function imageHash(url: string): string {
  return createHash('sha256').update(url).digest('base64url').slice(0, 12)
}
