import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { type Cart, emptyCart } from '../cart/cart.ts'
import { readCart, writeCart } from '../cart/cart-cookie.ts'
import type { PageFrame } from '../html/error-page.ts'
import type { PageRequest } from '../html/page-handler.ts'
import type { Locale } from '../messages/locales.ts'
import type { Translator } from '../messages/translator.ts'
import type { FindTheme } from '../theme/make-theme.ts'
import type { PageTheme } from '../theme/page-theme.ts'
import type { StoreShop, Stores } from './stores.ts'

export type StoreContext = {
  readonly shop: StoreShop
  readonly frame: PageFrame
  readonly theme: PageTheme
  readonly t: Translator
  readonly cart: Cart
  /** The cart's unpaid order. */
  readonly openOrder: Cart['order']
  /** The cart's order if it was paid since the last visit. The cart is then empty. */
  readonly paidOrder: Cart['order']
  readonly now: number
  /** Language from the URL, which links keep. */
  readonly lang: string | undefined
  languageLink(locale: Locale): string
  /** Returns a path in this shop that keeps the language. */
  pathTo(part?: string, query?: Readonly<Record<string, string | undefined>>): string
  newToken(): string
  /** Returns the header that stores a cart, or `undefined` if it exceeds the cookie limit. */
  keep(cart: Cart): Readonly<Record<string, string>> | undefined
}

export type OpenStoreNeeds = {
  readonly stores: Stores
  readonly clock: Clock
  readonly random: Random
  /** Adds `Secure` to cookies. */
  readonly isSecure: boolean
  readonly themes: { readonly find: FindTheme }
}

/** Opens the requested shop with the visitor's cart. Returns `undefined` if this host has no such shop. */
export async function openStore(
  { stores, themes, clock, random, isSecure }: OpenStoreNeeds,
  request: PageRequest,
  frame: PageFrame,
): Promise<StoreContext | undefined> {
  const shop = await stores.findShop(request.params.slug ?? '', request.headers.host)
  if (!shop) return undefined
  const newToken = () => Buffer.from(random.bytes(15)).toString('base64url')
  const sent = readCart(request.headers.cookie, newToken())
  const [theme, state] = await Promise.all([
    themes.find(shop.merchant),
    sent.order && stores.findOrder(shop.merchant, sent.order.id),
  ])
  const cart = state === 'open' || !sent.order ? sent : afterOrder(sent, state === 'paid', newToken())
  const lang = typeof request.query.lang === 'string' ? frame.t.locale : undefined
  return {
    shop,
    frame: { ...frame, theme },
    theme,
    t: frame.t,
    cart,
    openOrder: state === 'open' ? sent.order : undefined,
    paidOrder: state === 'paid' ? sent.order : undefined,
    now: clock.now(),
    lang,
    languageLink: (locale) => inLanguage(request.url, locale),
    pathTo: (part = '', query = {}) => pathOf(shop.slug, part, { ...query, lang }),
    newToken,
    keep(kept) {
      const cookie = writeCart(kept, shop.slug, isSecure)
      return cookie === undefined ? undefined : { 'set-cookie': cookie }
    },
  }
}

/** Returns the cart after its order was paid or closed. Removes bought items only. */
function afterOrder(cart: Cart, isPaid: boolean, token: string): Cart {
  const isBought = isPaid && cart.order?.isOfThis
  if (isBought) return { ...emptyCart(token), place: cart.place }
  return { ...cart, token, order: undefined }
}

function inLanguage(address: string, locale: Locale): string {
  const [path = '', query = ''] = address.split('?')
  const params = new URLSearchParams(query)
  params.set('lang', locale)
  return `${path}?${params}`
}

function pathOf(slug: string, part: string, query: Readonly<Record<string, string | undefined>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value)
  const path = part === '' ? `/shop/${slug}` : `/shop/${slug}/${encodeURIComponent(part)}`
  return params.size > 0 ? `${path}?${params}` : path
}
