import { type Static, Type } from 'typebox'
import { degradedFields, pageLimit, queryValue } from './documented.ts'

/** The largest price and the largest stock taken. */
const largest = 1_000_000_000

/** Something to see, and no control signs. Linear in the text's length, however long it is. */
const oneLine = '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]+$'

const sku = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: oneLine,
  description: 'The product identifier used in orders.',
})
const name = Type.String({ minLength: 1, maxLength: 200, pattern: oneLine })
const priceUsd = Type.Number({
  minimum: 0,
  maximum: largest,
  description: 'US dollars, rounded to the cent.',
})
const status = Type.Union([Type.Literal('active'), Type.Literal('draft'), Type.Literal('archived')])

/** Fields of a product that may be left out; then they stay as they are, or take their default. */
const optionalFields = {
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  stockQty: Type.Optional(
    Type.Integer({
      minimum: -1,
      maximum: largest,
      description: 'The quantity for sale; -1 (default) means not counted.',
    }),
  ),
  taxable: Type.Optional(Type.Boolean({ description: 'Defaults to false.' })),
  category: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[^,|\\u0000-\\u001f\\u007f]+$' }), {
      maxItems: 24,
    }),
  ),
  images: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 8 })),
  attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  costUsd: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: largest }), Type.Null()])),
  status: Type.Optional(status),
}

/** The body of POST /api/inventory. */
export const putProductRequest = Type.Object({
  id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$' })),
  sku,
  name,
  priceUsd,
  ...optionalFields,
})

/** The body of PATCH /api/inventory/{id}: fields that are not given stay. */
export const changeProductRequest = Type.Object({
  sku: Type.Optional(sku),
  name: Type.Optional(name),
  priceUsd: Type.Optional(priceUsd),
  ...optionalFields,
})

const publicFields = {
  id: Type.String(),
  sku: Type.String(),
  name: Type.String(),
  description: Type.String(),
  priceUsd: Type.Number(),
  stockQty: Type.Integer(),
  taxable: Type.Boolean(),
  category: Type.Union([Type.String(), Type.Null()]),
  tags: Type.Array(Type.String()),
  images: Type.Array(Type.String()),
  attributes: Type.Record(Type.String(), Type.Unknown()),
  status,
  createdAt: Type.Integer({ description: 'Unix milliseconds.' }),
  updatedAt: Type.Integer({ description: 'Unix milliseconds. Sales do not change it.' }),
}

/** A product; `costUsd` is there for its merchant alone. */
export const productView = Type.Object({
  ...publicFields,
  costUsd: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
})

/** What GET /api/inventory can be asked; values are text. */
export const listProductsQuery = Type.Object({
  slug: queryValue(Type.String({ description: 'Without a key: the slug of the shop.' })),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Searches name, sku and description, ignoring case.' }),
  ),
  category: Type.Optional(Type.String({ maxLength: 200 })),
  tags: Type.Optional(
    Type.String({ maxLength: 2048, description: 'Comma-separated. Products must have all of them.' }),
  ),
  taxable: queryValue(Type.Enum(['true', 'false', 'any'])),
  stock: queryValue(Type.Enum(['in', 'out', 'any'], { description: 'Defaults to `any`.' })),
  priceMin: queryValue(Type.Number({ minimum: 0, description: 'US dollars.' })),
  priceMax: queryValue(Type.Number({ minimum: 0, description: 'US dollars.' })),
  status: queryValue(
    Type.Enum(['active', 'draft', 'archived', 'any'], {
      description: 'Defaults to everything except `archived`. Not available without a key.',
    }),
  ),
  sort: queryValue(
    Type.Enum(['name', 'sku', 'priceUsd', 'stockQty', 'updatedAt'], {
      description: 'Defaults to `updatedAt`.',
    }),
  ),
  order: queryValue(
    Type.Enum(['asc', 'desc'], { description: 'Defaults to `asc`; for `updatedAt`, to `desc`.' }),
  ),
  limit: pageLimit,
  cursor: Type.Optional(Type.String({ maxLength: 2048 })),
})

/** What GET /api/inventory/export can be asked. */
export const exportProductsQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 128, description: '`X-Next-Cursor` of the file before.' })),
})

/** The answer of GET /api/inventory. */
export const productList = Type.Object({
  items: Type.Array(productView),
  total: Type.Integer({ description: 'The number of products that match the filters, on all pages.' }),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
  ...degradedFields,
})

/** The answer of GET /api/inventory/{id}. */
export const productAnswer = Type.Object({ item: productView })

/** The answer of what writes one product. */
export const putProductAnswer = Type.Object({ ok: Type.Literal(true), item: productView })

/** The answer of POST /api/inventory/import. */
export const importAnswer = Type.Object({
  ok: Type.Literal(true),
  created: Type.Integer(),
  updated: Type.Integer(),
  ignoredColumns: Type.Array(Type.String()),
})

export type PutProductRequest = Static<typeof putProductRequest>
export type ChangeProductRequest = Static<typeof changeProductRequest>
export type ProductView = Static<typeof productView>
export type ListProductsQuery = Static<typeof listProductsQuery>
