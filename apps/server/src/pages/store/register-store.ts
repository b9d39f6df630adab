import type { FastifyInstance } from 'fastify'
import type { PageAssets } from '../html/build-assets.ts'
import { type PageRequest, type PageResponse, type PageTools, pageHandler } from '../html/page-handler.ts'
import { type Form, isSentByOwnPage, readForm, takeForms } from '../html/read-form.ts'
import { cartErrors, cartPage } from './cart-page.ts'
import { cataloguePage } from './catalogue-page.ts'
import { changeCart } from './change-cart.ts'
import { checkOut } from './check-out.ts'
import { loadCart } from './load-cart.ts'
import { productPath } from './product-entry.ts'
import { apiErrors, productPage } from './product-page.ts'
import { readCatalogue, readQuery, textOf } from './read-catalogue.ts'
import { type OpenStoreNeeds, openStore, type StoreContext } from './store-context.ts'
import { noShopResponse, storeResponse } from './store-document.ts'
import type { Stores } from './stores.ts'

export type StoreNeeds = PageTools & OpenStoreNeeds

export function registerStore(app: FastifyInstance, needs: StoreNeeds, assets: PageAssets): void {
  const { stores } = needs
  const own = { config: { limit: 'own' } } as const
  const page = (
    make: (context: StoreContext, request: PageRequest) => Promise<PageResponse>,
    limit?: 'storeOrders',
  ) =>
    pageHandler(
      needs,
      assets,
      async (request, frame) => {
        const context = await openStore(needs, request, frame)
        return context ? make(context, request) : noShopResponse(frame)
      },
      limit,
    )
  const sent = (work: (stores: Stores, context: StoreContext, form: Form) => Promise<PageResponse>) => {
    return async (context: StoreContext, request: PageRequest) =>
      isSentByOwnPage(request, context.shop.baseUrl)
        ? work(stores, context, readForm(request))
        : storeResponse(context, 'sent-elsewhere')
  }
  app.register(async (scope) => {
    takeForms(scope)
    scope.get(
      '/shop/:slug',
      own,
      page((context, request) => showCatalogue(stores, context, request)),
    )
    scope.get(
      '/shop/:slug/cart',
      own,
      page((context, request) => showCart(stores, context, request)),
    )
    scope.get(
      '/shop/:slug/:product',
      own,
      page((context, request) => showProduct(stores, context, request)),
    )
    scope.post('/shop/:slug/cart', own, page(sent(changeCart)))
    scope.post('/shop/:slug/checkout', own, page(sent(checkOut), 'storeOrders'))
  })
}

async function showCatalogue(
  stores: Stores,
  context: StoreContext,
  { query }: PageRequest,
): Promise<PageResponse> {
  const catalogue = await readCatalogue(stores, context, readQuery(query, context.now))
  if (!catalogue) return { redirect: context.pathTo() }
  return shown(context, { html: cataloguePage(context, catalogue) })
}

async function showProduct(
  stores: Stores,
  context: StoreContext,
  { params, query }: PageRequest,
): Promise<PageResponse> {
  const asked = textOf(params.product, 128)
  if (asked === 'checkout') return { redirect: context.pathTo('cart') }
  const product = asked === undefined ? undefined : await stores.findProduct(context.shop.merchant, asked)
  if (!product) return storeResponse(context, 'not-found')
  // A product has one canonical URL: links by sku redirect to it.
  if (asked !== product.id && productPath(context, product) !== context.pathTo(asked))
    return { redirect: productPath(context, product) }
  const { dates } = readQuery(query, context.now)
  const refused = apiErrors.find((each) => each === query.refused)
  const ask = { arrival: dates?.arrival ?? '', departure: dates?.departure ?? '', refused }
  return shown(context, { html: productPage(context, product, ask) })
}

async function showCart(
  stores: Stores,
  context: StoreContext,
  { query }: PageRequest,
): Promise<PageResponse> {
  const loaded = await loadCart(stores, context)
  const added = loaded.lines.find(({ productId }) => productId === query.added)?.product.name
  const trouble = cartErrors.find((each) => each === query.trouble)
  const response = { html: cartPage(context, loaded, { added, trouble }), allow: { forms: true } }
  return { ...response, headers: context.keep(loaded.cart) ?? {} }
}

/** Returns a page that allows forms. Stores the cart if its order was paid since the last visit. */
function shown(context: StoreContext, response: { html: PageResponseHtml }): PageResponse {
  const hasNews = context.paidOrder !== undefined
  return { ...response, allow: { forms: true }, headers: hasNews ? (context.keep(context.cart) ?? {}) : {} }
}

type PageResponseHtml = Extract<PageResponse, { html: unknown }>['html']
