import { okResponse } from '@sluice/protocol/api/access.ts'
import {
  changeProductRequest,
  exportProductsQuery,
  importResponse,
  listProductsQuery,
  productList,
  productResponse,
  putProductRequest,
  putProductResponse,
} from '@sluice/protocol/api/inventory.ts'
import { Type } from 'typebox'
import { merchantOf } from '../access/caller.ts'
import { type FindBySlug, findShopMerchant, noShop } from '../access/find-shop-merchant.ts'
import { type Route, route, wantsLines } from '../access/route.ts'
import { ApiError } from '../kernel/api-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Random } from '../kernel/random.ts'
import { reportProgress } from '../kernel/report-progress.ts'
import { findMerchant } from '../merchants/merchant-store.ts'
import type { Database } from '../platform/database/database.ts'
import { changeProduct } from './change-product.ts'
import { csvFileLimits, exportProducts } from './csv-columns.ts'
import { type ImportProgress, importProducts } from './import-products.ts'
import { listProducts, type PublicReads } from './list-products.ts'
import { parseChangeProduct, parsePutProduct } from './parse-product.ts'
import { viewProduct, viewPublicProduct } from './product.ts'
import { archiveProduct, findProduct } from './store.ts'
import { upsertProducts } from './upsert-products.ts'

export type InventoryNeeds = {
  readonly db: Database
  readonly publicReads: PublicReads
  readonly clock: Clock
  readonly random: Random
  readonly findBySlug?: FindBySlug | undefined
}

const bodyLimit = 1024 * 1024 // docs/reference/limits.md: Sizes
const read = { kind: 'key-or-session', scope: 'inventory:read' } as const
const write = { kind: 'key-or-session', scope: 'inventory:write' } as const
const params = Type.Object({ id: Type.String() })

export function inventoryRoutes(needs: InventoryNeeds): Route[] {
  return [
    listProductsRoute(needs),
    putProductRoute(needs),
    importProductsRoute(needs),
    exportProductsRoute(needs),
    showProductRoute(needs),
    changeProductRoute(needs),
    archiveProductRoute(needs),
  ]
}

function listProductsRoute(needs: InventoryNeeds): Route {
  const { db } = needs
  return route({
    method: 'GET',
    path: '/api/inventory',
    access: { kind: 'key-or-public', scope: 'inventory:read' },
    description:
      'List products. Without a key, returns only the products that visitors of the shop can see, and `total` is at most 1,000.',
    query: listProductsQuery,
    responses: { 200: productList },
    document: { apiErrors: ['not_found'] },
    async handle({ caller, query, merchantWallet }) {
      const named = { wallet: merchantWallet, slug: query.slug }
      const { merchant, audience } = await findShopMerchant(needs.findBySlug, caller, named)
      if (audience === 'public' && !(await findMerchant(db, merchant))) throw noShop()
      const list = async () => listProducts(needs, merchant, query, audience)
      const isPublic = audience === 'public'
      const { products, total, nextCursor } = await (isPublic
        ? needs.publicReads.run(merchant, list)
        : list())
      const view = isPublic ? viewPublicProduct : viewProduct
      return { status: 200, body: { items: products.map(view), total, nextCursor } }
    },
  })
}

function putProductRoute(needs: InventoryNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/inventory',
    access: write,
    limit: 'inventoryWrites',
    description: 'Create or update a product. Updates the product with this sku or id if one exists.',
    body: putProductRequest,
    intake: { limit: bodyLimit },
    responses: { 200: putProductResponse, 201: putProductResponse },
    document: { apiErrors: ['product_conflict'] },
    async handle({ caller, body }) {
      const outcome = await upsertProducts(needs, merchantOf(caller), [parsePutProduct(body)])
      if (outcome.kind === 'conflict')
        throw new ApiError('product_conflict', outcome.conflicts[0]?.message ?? 'The products differ')
      const [product] = outcome.products
      return {
        status: outcome.created > 0 ? 201 : 200,
        body: { ok: true, item: product && viewProduct(product) },
      }
    },
  })
}

function importProductsRoute(needs: InventoryNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/inventory/import',
    access: write,
    limit: 'inventoryWrites',
    description:
      'Import products from a CSV file. Imports all products or none. With `Accept: application/x-ndjson`, the response reports progress.',
    body: Type.String(),
    intake: { type: 'text/csv', limit: csvFileLimits.bytes },
    responses: { 200: importResponse },
    async handle({ caller, body, headers }) {
      const merchant = merchantOf(caller)
      const put = async (report?: (progress: ImportProgress) => void) => ({
        ok: true,
        ...(await importProducts(needs, merchant, body, report)),
      })
      return wantsLines(headers)
        ? { status: 200, lines: reportProgress(put) }
        : { status: 200, body: await put() }
    },
  })
}

function exportProductsRoute(needs: InventoryNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/inventory/export',
    access: read,
    description:
      'Export products as a CSV file. Archived products are not included. A file is at most as large as an import allows. If there are more products, the header `X-Next-Cursor` contains the cursor of the next file.',
    query: exportProductsQuery,
    responses: { 200: Type.String() },
    document: { responseType: 'text/csv' },
    async handle({ caller, query }) {
      const { csv, nextCursor } = await exportProducts(needs, merchantOf(caller), query.cursor)
      const headers = {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="inventory.csv"',
        ...(nextCursor !== undefined && { 'X-Next-Cursor': nextCursor }),
      }
      return { status: 200, body: csv, headers }
    },
  })
}

function showProductRoute({ db }: InventoryNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/inventory/{id}',
    access: read,
    description: 'Retrieve a product.',
    params,
    responses: { 200: productResponse },
    async handle({ caller, params }) {
      const product = await findProduct(db, merchantOf(caller), params.id)
      if (!product) throw new ApiError('not_found', 'Product not found')
      return { status: 200, body: { item: viewProduct(product) } }
    },
  })
}

function changeProductRoute(needs: InventoryNeeds): Route {
  return route({
    method: 'PATCH',
    path: '/api/inventory/{id}',
    access: write,
    limit: 'inventoryWrites',
    description: 'Update a product. Omitted fields stay unchanged.',
    params,
    body: changeProductRequest,
    intake: { limit: bodyLimit },
    responses: { 200: putProductResponse },
    document: { apiErrors: ['product_conflict'] },
    async handle({ caller, params, body }) {
      const merchant = merchantOf(caller)
      const product = await changeProduct(needs, merchant, params.id, parseChangeProduct(body))
      return { status: 200, body: { ok: true, item: viewProduct(product) } }
    },
  })
}

function archiveProductRoute(needs: InventoryNeeds): Route {
  const { db } = needs
  return route({
    method: 'DELETE',
    path: '/api/inventory/{id}',
    access: write,
    limit: 'inventoryWrites',
    description: 'Archive a product. Existing orders are not affected.',
    params,
    responses: { 200: okResponse },
    async handle({ caller, params }) {
      const merchant = merchantOf(caller)
      const isThere = await archiveProduct(db, merchant, params.id, needs.clock.now())
      if (!isThere) throw new ApiError('not_found', 'Product not found')
      return { status: 200, body: { ok: true } }
    },
  })
}
