import { html, type SafeHtml } from '@remix-run/html-template'
import type { ProductView } from '@sluice/protocol/api/inventory.ts'
import { initialOf } from '../html/parts.ts'
import { type PageImage, productImage } from '../theme/page-image.ts'
import type { StoreShop } from './stores.ts'

/** Returns the proxied image at `index`, or `undefined` if the product has none there. */
export function pictureOf(
  { shop }: { readonly shop: Pick<StoreShop, 'merchant'> },
  product: Pick<ProductView, 'id' | 'images'>,
  index = 0,
): PageImage | undefined {
  const url = product.images[index]
  return url === undefined ? undefined : productImage(shop.merchant, product.id, index, url)
}

const motifs: readonly SafeHtml[] = [
  html`<g class="line"><circle cx="104" cy="82" r="22"/><circle cx="104" cy="82" r="40"/><circle cx="104" cy="82" r="58"/><circle cx="104" cy="82" r="76"/></g>`,
  html`<path class="near" d="M0 66c20-14 40-14 60 0s40 14 60 0v30H0z"/><path class="far" d="M0 52c20-14 40-14 60 0s40 14 60 0v14c-20 14-40 14-60 0s-40-14-60 0z"/>`,
  html`<circle class="far" cx="60" cy="58" r="34"/><path class="near" d="M0 58h120v32H0z"/>`,
  html`<g class="far"><ellipse cx="30" cy="78" rx="16" ry="46" transform="rotate(24 30 78)"/><ellipse cx="96" cy="84" rx="16" ry="50" transform="rotate(-22 96 84)"/></g><ellipse class="near" cx="62" cy="96" rx="18" ry="44"/>`,
  html`<path class="far" d="M-10 90L50 0h22L12 90zM58 90L118 0h22L80 90z"/>`,
]

/**
 * Renders the image, or a drawing derived from `name`. Decorative: the name is adjacent.
 *
 * @param sizes - Displayed width, for the `sizes` attribute.
 */
export function pictureOrArt(
  picture: PageImage | undefined,
  name: string,
  { className, sizes, isFirst = false }: { className: string; sizes: string; isFirst?: boolean },
): SafeHtml {
  if (!picture) return html`<span class="${className} art tone-${hashOf(name) % 4}">${artOf(name)}</span>`
  const when = isFirst ? html` fetchpriority="high"` : html` loading="lazy"`
  return html`<span class="${className}"><img src="${picture.url}" srcset="${picture.srcset}" sizes="${sizes}" alt=""${when} decoding="async"></span>`
}

function artOf(name: string): SafeHtml {
  const motif = motifs[Math.floor(hashOf(name) / 4) % motifs.length] ?? null
  return html`<svg viewBox="0 0 120 90" preserveAspectRatio="xMidYMid slice" aria-hidden="true">${motif}<text x="60" y="46" text-anchor="middle" dominant-baseline="central">${initialOf(name)}</text></svg>`
}

function hashOf(name: string): number {
  let hash = 7
  for (const sign of name) hash = (hash * 31 + (sign.codePointAt(0) ?? 0)) % 1_000_003
  return hash
}
