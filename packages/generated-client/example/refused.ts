import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

/** Invalid uses of a generated client, each of which the types must reject. */
const client = createClient<paths>({ baseUrl: '' })
const lineItems = [{ label: 'Beans', priceUsd: 5 }]

// @ts-expect-error a string is not a number
await client.POST('/api/receipts', { body: { id: 'a', lineItems, totalUsd: '5' } })
// @ts-expect-error the id is required
await client.POST('/api/receipts', { body: { lineItems, totalUsd: 5 } })
// @ts-expect-error an unknown currency
await client.POST('/api/receipts', { body: { id: 'a', lineItems, totalUsd: 5, currency: 'GBP' } })
// @ts-expect-error an order requires a jurisdiction
await client.POST('/api/orders', { body: { items: [{ sku: 'a', qty: 1 }] } })
// @ts-expect-error `taxable` is not a string
await client.POST('/api/inventory', { body: { sku: 'a', name: 'a', priceUsd: 1, taxable: 'yes' } })
// @ts-expect-error a refund requires its buyer
await client.POST('/api/receipts/refund', { body: { receiptId: 'a', wallet: '0x', usd: 1 } })
// @ts-expect-error the status requires a receipt id
await client.GET('/api/receipts/status', { params: { query: {} } })
// @ts-expect-error an unknown endpoint
await client.GET('/api/receipt')
// @ts-expect-error an unknown sort field
await client.GET('/api/inventory', { params: { query: { sort: 'color' } } })

const { data, error } = await client.GET('/api/receipts/{id}', { params: { path: { id: 'a' } } })
// @ts-expect-error an unknown status
if (data?.status === 'payed') throw new Error()
// @ts-expect-error an unknown field
if (data?.totalUSD) throw new Error()
// @ts-expect-error the address may be null
data?.billingAddress.city.trim()
// @ts-expect-error an unknown code
if (error?.error === 'not_founded') throw new Error()

// @ts-expect-error an unknown field
export const misspelt: components['schemas']['CreateReceiptRequest'] = { id: 'a', lineItems, totalUSD: 5 }

type Untyped<T> = { [K in keyof T]-?: unknown extends T[K] ? K : never }[keyof T]
type Schemas = components['schemas']
type Nothing<T extends never> = T

export type AllTyped = [
  Nothing<Untyped<Schemas['CreateReceiptRequest']>>,
  Nothing<Untyped<Schemas['ReceiptDetail']>>,
  Nothing<Untyped<Schemas['ReceiptDetail']['payment']>>,
  Nothing<Untyped<Schemas['ReceiptDetail']['lineItems'][number]>>,
  Nothing<Untyped<Schemas['ReceiptStatusResponse']>>,
  Nothing<Untyped<Schemas['CreateOrderRequest']>>,
  Nothing<Untyped<Schemas['OrderDetail']>>,
  Nothing<Untyped<Schemas['PutProductRequest']>>,
  Nothing<Untyped<Schemas['Product']>>,
  Nothing<Untyped<Schemas['Split']>>,
  Nothing<Untyped<Schemas['SplitTransaction']>>,
  Nothing<Untyped<Schemas['ShopConfig']>>,
  Nothing<Untyped<Schemas['SiteConfig']>>,
  Nothing<
    Untyped<NonNullable<paths['/api/receipts/status']['post']['requestBody']>['content']['application/json']>
  >,
  Nothing<
    Untyped<
      NonNullable<paths['/api/receipts/terminal']['post']['requestBody']>['content']['application/json']
    >
  >,
]
