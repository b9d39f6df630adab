/** A value of JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** One call that shows what an operation is for. */
export type SampleCall = {
  /** With query; `{NAME}` in capitals is taken from the environment, beside `SLUICE_URL` and `SLUICE_KEY`. */
  readonly path: string
  readonly body?: JsonValue
  readonly csv?: readonly string[]
  /** Needs no key. */
  readonly isPublic?: true
}

const order = {
  items: [{ sku: 'mug', qty: 2 }],
  jurisdictionCode: 'US-CA',
  webhook_url: 'https://shop.example.com/hook',
  transactionId: 'cart-7',
}

const receipt = {
  id: 'order-1001',
  currency: 'USD',
  lineItems: [
    { label: 'Espresso beans, 1 kg', amount: 38, qty: 1 },
    { label: 'Welcome discount', amount: -8 },
  ],
  webhook_url: 'https://shop.example.com/hook',
}

/**
 * By method and path: a sample of every operation that a program with a key, or anybody, is meant to call. In this
 * order each finds what it names, and all of them may be repeated.
 */
export const sampleCalls: Readonly<Record<string, SampleCall>> = {
  'POST /api/inventory': {
    path: '/api/inventory',
    body: { id: 'mug', sku: 'mug', name: 'Mug', priceUsd: 19.99, stockQty: 100, taxable: true },
  },
  'GET /api/inventory': { path: '/api/inventory?q=mug&stock=in&limit=20' },
  'GET /api/inventory/{id}': { path: '/api/inventory/mug' },
  'PATCH /api/inventory/{id}': { path: '/api/inventory/mug', body: { priceUsd: 18.5, tags: ['kitchen'] } },
  'POST /api/inventory/import': {
    path: '/api/inventory/import',
    csv: ['sku,name,priceUsd,stockQty', 'cup,Cup,12.50,40', 'saucer,Saucer,6.00,40'],
  },
  'GET /api/inventory/export': { path: '/api/inventory/export' },
  'GET /api/tax/catalog': { path: '/api/tax/catalog', isPublic: true },
  'POST /api/orders': { path: '/api/orders', body: order },
  'GET /api/orders': { path: '/api/orders?limit=20' },
  'GET /api/orders/{id}': { path: '/api/orders/{ORDER_ID}' },
  'DELETE /api/inventory/{id}': { path: '/api/inventory/mug' },
  'POST /api/receipts': { path: '/api/receipts', body: receipt },
  'GET /api/receipts': { path: '/api/receipts?limit=20' },
  'GET /api/receipts/{id}': { path: '/api/receipts/order-1001' },
  'GET /api/receipts/status': { path: '/api/receipts/status?receiptId=order-1001' },
  'GET /api/terminal/check-payment': { path: '/api/terminal/check-payment?receiptId=order-1001' },
  'GET /api/checkout/{id}': {
    path: '/api/checkout/order-1001?recipient={MERCHANT_WALLET}',
    isPublic: true,
  },
  'POST /api/checkout/{id}/attempts': {
    path: '/api/checkout/order-1001/attempts?recipient={MERCHANT_WALLET}',
    body: { token: 'USDC' },
    isPublic: true,
  },
  'GET /api/payments/unmatched': { path: '/api/payments/unmatched?state=open' },
  'GET /api/split/deploy': { path: '/api/split/deploy' },
  'GET /api/split/transactions': { path: '/api/split/transactions?limit=20' },
  'GET /api/shop/config': { path: '/api/shop/config' },
  'GET /api/site/config': { path: '/api/site/config', isPublic: true },
  'GET /api/failure-codes': { path: '/api/failure-codes', isPublic: true },
  'GET /api/events': { path: '/api/events?after=0&limit=20' },
  'GET /api/webhooks/deliveries': { path: '/api/webhooks/deliveries?receiptId=order-1001' },
  'POST /api/webhooks/test': { path: '/api/webhooks/test', body: { url: 'http://127.0.0.1:9000/hook' } },
}
