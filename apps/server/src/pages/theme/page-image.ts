import { createHash } from 'node:crypto'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type ImageKind, imageWidths } from '../../images/image.ts'

/** Image of a merchant or brand, referenced only by proxied URLs. */
export type PageImage = {
  readonly url: string
  readonly srcset: string
}

/**
 * Remote image, identified by its owner and slot. Proxy URLs never contain the remote URL, so that clients
 * cannot request other images.
 */
export type StoredImage = {
  /** Lower-case wallet of a merchant, or `brand.` and the brand's key. */
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

export type ImageSlot =
  | { readonly kind: Exclude<ImageKind, 'product'>; readonly name: string }
  | { readonly kind: 'product'; readonly productId: string; readonly index: number }

/** Parses a slot name: `logo`, `icon`, `cover`, `background` or `product.<index>.<id>`. */
export function parseSlot(name: string): ImageSlot | undefined {
  const kind = Object.hasOwn(kindOfSlot, name) ? kindOfSlot[name] : undefined
  if (kind && kind !== 'product') return { kind, name }
  const [, index, productId] = /^product\.([0-9])\.(.{1,128})$/s.exec(name) ?? []
  return index && productId ? { kind: 'product', productId, index: Number(index) } : undefined
}

/** Returns the proxied URLs by width. They change when the remote URL changes. */
export function pageImage({ owner, slot, url }: StoredImage): PageImage {
  const widths = imageWidths[parseSlot(slot)?.kind ?? 'cover']
  const addressOf = (width: number) =>
    `/images/${owner}/${encodeURIComponent(slot)}/${imageHash(url)}-${width}.webp`
  return {
    url: addressOf(widths[0] ?? 0),
    srcset: widths.map((width) => `${addressOf(width)} ${width}w`).join(', '),
  }
}

export function productImage(merchant: Wallet, productId: string, index: number, url: string): PageImage {
  return pageImage({ owner: merchant.toLowerCase(), slot: `product.${index}.${productId}`, url })
}

export function imageHash(url: string): string {
  return createHash('sha256').update(url).digest('base64url').slice(0, 12)
}
