import { type Static, Type } from 'typebox'
import { degradedFields, pageLimit, queryValue } from './documented.ts'

const largest = 1_000_000_000

/** Non-blank text without control characters. The pattern matches in linear time. */
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

const optionalFields = {
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  stockQty: Type.Optional(
    Type.Integer({
      minimum: -1,
      maximum: largest,
      description: 'The quantity for sale. -1 (the default) means that stock is not tracked.',
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

export const putProductRequest = Type.Object({
  id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$' })),
  sku,
  name,
  priceUsd,
  ...optionalFields,
})

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
  updatedAt: Type.Integer({ description: 'Unix milliseconds. Sales do not change this time.' }),
}

/** Only the merchant of the product sees `costUsd`. */
export const productView = Type.Object({
  ...publicFields,
  costUsd: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
})

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

export const exportProductsQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({ maxLength: 128, description: '`X-Next-Cursor` of the previous file.' }),
  ),
})

export const productList = Type.Object({
  items: Type.Array(productView),
  total: Type.Integer({ description: 'The number of products that match the filters across all pages.' }),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
  ...degradedFields,
})

export const productResponse = Type.Object({ item: productView })

export const putProductResponse = Type.Object({ ok: Type.Literal(true), item: productView })

export const importResponse = Type.Object({
  ok: Type.Literal(true),
  created: Type.Integer(),
  updated: Type.Integer(),
  ignoredColumns: Type.Array(Type.String()),
})

export type PutProductRequest = Static<typeof putProductRequest>
export type ChangeProductRequest = Static<typeof changeProductRequest>
export type ProductView = Static<typeof productView>
export type ListProductsQuery = Static<typeof listProductsQuery>
