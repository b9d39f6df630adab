import { listQuery } from '@sluice/protocol/api/documented.ts'
import {
  createOrderRequest,
  createOrderResponse,
  type OrderView,
  orderDetail,
  orderList,
} from '@sluice/protocol/api/orders.ts'
import { type TaxJurisdiction, taxCatalogResponse } from '@sluice/protocol/api/tax.ts'
import { writeCents } from '@sluice/protocol/money.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import { merchantOf } from '../access/caller.ts'
import { findSigningKey } from '../access/keys/key-store.ts'
import { type Route, route } from '../access/route.ts'
import { ApiError } from '../kernel/api-error.ts'
import { maxPageBytes, type Page, type PageQuery, readEndedPage, timeCursor } from '../kernel/page.ts'
import type { Database } from '../platform/database/database.ts'
import { type CatalogRate, taxCatalog } from '../pricing/taxes/catalog.ts'
import { writeTaxRate } from '../pricing/taxes/tax-rate.ts'
import { displayStatusOf } from '../receipts/finding/display-status.ts'
import { getReceipt } from '../receipts/viewing/load-detail.ts'
import { viewListItem } from '../receipts/viewing/view-receipt.ts'
import { brandBaseUrl } from '../site/brand.ts'
import { findBaseUrl, findBaseUrls, findBrandOfMerchant } from '../site/find-brand.ts'
import { type CreateOrderNeeds, createOrder } from './create-order.ts'
import { itemCents } from './order.ts'
import { parseOrder, refuseEmptyOrder } from './parse-order.ts'
import { findOrder, type KnownOrder, listOrders } from './store.ts'

type OrderNeeds = CreateOrderNeeds & {
  readonly site: { readonly baseUrl: string; readonly isProduction: boolean }
}

export function orderRoutes(needs: OrderNeeds): Route[] {
  return [createOrderRoute(needs), listOrdersRoute(needs), showOrderRoute(needs)]
}

function createOrderRoute(needs: OrderNeeds): Route {
  const { db, deadlines, site } = needs
  return route({
    method: 'POST',
    path: '/api/orders',
    access: { kind: 'key-or-session', scope: 'orders:create' },
    description: 'Create an order. Reserves the stock and creates the receipt to pay.',
    body: createOrderRequest,
    intake: { refuse: refuseEmptyOrder },
    responses: { 201: createOrderResponse },
    document: {
      apiErrors: [
        'items_required',
        'split_required',
        'platform_recipient_not_configured',
        'inventory_item_not_found',
        'inventory_item_unavailable',
      ],
    },
    async handle({ caller, body }) {
      const merchant = merchantOf(caller)
      const brand = await findBrandOfMerchant(db, merchant)
      const key = caller.kind === 'subscription' ? caller : await findSigningKey(db, merchant)
      const request = parseOrder(body, site, deadlines.now())
      const receipt = await createOrder({ ...needs, brand }, merchant, key, request)
      const { id } = receipt
      const paymentUrl = orderPaymentUrl(brandBaseUrl(brand, site.baseUrl), id)
      return {
        status: 201,
        body: {
          ok: true,
          id,
          receiptId: id,
          paymentUrl,
          status: 'pending',
          receipt: viewListItem(receipt, deadlines.now()),
        },
      }
    },
  })
}

function listOrdersRoute(needs: OrderNeeds): Route {
  const { db, site } = needs
  return route({
    method: 'GET',
    path: '/api/orders',
    access: { kind: 'key-or-session', scope: 'receipts:read' },
    description: 'List orders. Newest first.',
    query: listQuery,
    responses: { 200: orderList },
    async handle({ caller, query }) {
      const { page, nextCursor } = await listOrdersPage(needs, merchantOf(caller), query)
      const baseUrlOf = await findBaseUrls(db, site.baseUrl)
      const orders = page.map((order) => viewOrder(order, baseUrlOf(order.brandKey), needs.deadlines.now()))
      return { status: 200, body: { orders, nextCursor } }
    },
  })
}

function showOrderRoute(needs: OrderNeeds): Route {
  const { db, deadlines, site } = needs
  return route({
    method: 'GET',
    path: '/api/orders/{id}',
    access: { kind: 'key-or-session', scope: 'receipts:read' },
    description: 'Retrieve an order with its receipt.',
    params: Type.Object({ id: Type.String() }),
    responses: { 200: orderDetail },
    async handle({ caller, params }) {
      const merchant = merchantOf(caller)
      const id = parseReceiptId(params.id)
      const order = id && (await findOrder(db, merchant, id))
      if (!order) throw new ApiError('not_found', 'Order not found')
      const now = deadlines.now()
      const receipt = viewListItem(await getReceipt(needs, merchant, order.id), now)
      const baseUrl = await findBaseUrl(db, order.brandKey, site.baseUrl)
      return { status: 200, body: { ...viewOrder(order, baseUrl, now), receipt } }
    },
  })
}

/** @throws {ApiError} `invalid_input` for a limit outside 1–200 or a cursor of another list. */
function listOrdersPage(
  needs: { db: Database },
  merchant: Wallet,
  query: PageQuery,
): Promise<Page<KnownOrder>> {
  return readEndedPage(query, cursor, async (before, limit) => {
    const found = await listOrders(needs.db, merchant, { limit, maxBytes: maxPageBytes }, before)
    return { ...found, last: found.page.at(-1) }
  })
}

const cursor = timeCursor('createdAt', parseOrderId, 'order:')

function parseOrderId(text: string): KnownOrder['id'] | undefined {
  return /^R-[0-9A-Z]{26}$/.test(text) ? parseReceiptId(text) : undefined
}

const jurisdictions = taxCatalog.map(viewRate)

/** Returns the public route of the built-in tax rates. */
export function taxRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/tax/catalog',
      access: { kind: 'public' },
      description: 'List the built-in tax rates. Each rate includes its source and publication date.',
      responses: { 200: taxCatalogResponse },
      async handle() {
        return { status: 200, body: { jurisdictions } }
      },
    }),
  ]
}

function viewRate({ code, name, rate, components, source, date }: CatalogRate): TaxJurisdiction {
  const [country = '', region] = code.split('-')
  return {
    jurisdictionCode: code,
    country,
    region: region ?? null,
    name,
    taxRate: writeTaxRate(rate),
    components: components.map((part) => ({ name: part.name, taxRate: writeTaxRate(part.rate) })),
    source,
    date,
  }
}

function orderPaymentUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/pay/${id}`
}

function viewOrder(order: KnownOrder, baseUrl: string, now: UnixMs): OrderView {
  const { tax } = order
  return {
    id: order.id,
    receiptId: order.id,
    paymentUrl: orderPaymentUrl(baseUrl, order.id),
    status: order.status,
    displayStatus: displayStatusOf(order, now),
    items: order.items.map((item) => ({
      productId: item.productId,
      sku: item.sku,
      name: item.name,
      qty: Number(item.qty),
      unitPriceUsd: writeCents(item.unitCents),
      totalUsd: writeCents(itemCents(item)),
      taxable: item.taxable,
    })),
    subtotalUsd: writeCents(order.subtotalCents),
    taxableUsd: writeCents(order.taxableCents),
    taxUsd: writeCents(order.taxCents),
    totalUsd: writeCents(order.totalCents),
    jurisdictionCode: tax.jurisdictionCode,
    taxRate: writeTaxRate(tax.rate),
    taxComponents: [...tax.components],
    taxFrom: tax.from,
    stock: order.stock ?? null,
    stockMissing: order.missing.map(({ productId, qty }) => ({ productId, qty: Number(qty) })),
    createdAt: order.createdAt,
    expiresAt: order.expiresAt ?? null,
    metadata: order.metadata ?? null,
    transactionId: order.transactionId ?? null,
  }
}
