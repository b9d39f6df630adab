import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { type Cart, emptyCart } from '../cart/cart.ts'
import { readCart, writeCart } from '../cart/cart-cookie.ts'
import type { PageRequest } from '../html/answer-page.ts'
import type { PageFrame } from '../html/error-page.ts'
import type { Locale } from '../messages/locales.ts'
import type { Translator } from '../messages/translator.ts'
import type { FindTheme } from '../theme/make-theme.ts'
import type { PageTheme } from '../theme/page-theme.ts'
import type { StoreShop, Stores } from './stores.ts'

/** What every page of a storefront is made with. */
export type StoreContext = {
  readonly shop: StoreShop
  readonly frame: PageFrame
  readonly theme: PageTheme
  readonly t: Translator
  readonly cart: Cart
  /** The order of the cart that is still to be paid. */
  readonly openOrder: Cart['order']
  /** The cart's order was paid since the visitor last looked: the cart is empty now. */
  readonly paidOrder: Cart['order']
  readonly now: number
  /** The language, where the address names it: then the next one does too. */
  readonly lang: string | undefined
  /** The path of this very page in another language. */
  languageLink(locale: Locale): string
  /** The path of a page of this shop, in the language that was asked for. */
  pathTo(part?: string, query?: Readonly<Record<string, string | undefined>>): string
  /** A new token for a cart whose content changes. */
  newToken(): string
  /** The header that keeps a cart; `undefined` where there is more in it than a cookie holds. */
  keep(cart: Cart): Readonly<Record<string, string>> | undefined
}

/** What opening a shop takes of the service. */
export type OpenStoreNeeds = {
  readonly stores: Stores
  readonly clock: Clock
  readonly random: Random
  /** Cookies are sent over TLS only. */
  readonly isSecure: boolean
  /** How merchants want their pages to look. */
  readonly themes: { readonly find: FindTheme }
}

/** The shop that a request names, with its visitor's cart; `undefined` where there is no such shop here. */
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

/** A cart whose order is paid, or can no longer be: what was bought is taken out, what was not stays. */
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
