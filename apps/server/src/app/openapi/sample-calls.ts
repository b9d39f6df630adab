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
  /** What it is called with; a key where nothing is said. */
  readonly as?: 'anybody' | 'session'
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
 * By method and path: a sample of every operation that a program with a key is meant to call, and of what people
 * do most. In this order each finds what it names, and all of them may be repeated.
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
  'GET /api/tax/catalog': { path: '/api/tax/catalog', as: 'anybody' },
  'POST /api/orders': { path: '/api/orders', body: order },
  'GET /api/orders': { path: '/api/orders?limit=20' },
  'GET /api/orders/{id}': { path: '/api/orders/{ORDER_ID}' },
  'GET /api/loyalty': { path: '/api/loyalty?wallet=0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
  'POST /api/receipts/{id}/cancel': { path: '/api/receipts/{ORDER_ID}/cancel' },
  'DELETE /api/inventory/{id}': { path: '/api/inventory/mug' },
  'POST /api/receipts': { path: '/api/receipts', body: receipt },
  'GET /api/receipts': { path: '/api/receipts?limit=20' },
  'GET /api/receipts/summary': { path: '/api/receipts/summary?currency=USD' },
  'GET /api/receipts/export': { path: '/api/receipts/export?status=paid,reconciled' },
  'GET /api/receipts/{id}': { path: '/api/receipts/order-1001' },
  'GET /api/receipts/{id}/timeline': { path: '/api/receipts/order-1001/timeline' },
  'GET /api/receipts/status': { path: '/api/receipts/status?receiptId=order-1001' },
  'GET /api/terminal/check-payment': { path: '/api/terminal/check-payment?receiptId=order-1001' },
  'GET /api/checkout/{id}': {
    path: '/api/checkout/order-1001?recipient={MERCHANT_WALLET}',
    as: 'anybody',
  },
  'POST /api/checkout/{id}/attempts': {
    path: '/api/checkout/order-1001/attempts?recipient={MERCHANT_WALLET}',
    body: { token: 'USDC' },
    as: 'anybody',
  },
  'GET /api/payments/questions': { path: '/api/payments/questions?limit=20' },
  'GET /api/deposits/waiting': { path: '/api/deposits/waiting?limit=20', as: 'session' },
  'POST /api/checkout/{id}/onramp': {
    path: '/api/checkout/order-1001/onramp?recipient={MERCHANT_WALLET}',
    as: 'anybody',
  },
  'GET /api/payments/unmatched': { path: '/api/payments/unmatched?state=open' },
  'POST /api/payments/claims/challenge': {
    path: '/api/payments/claims/challenge',
    body: {
      transactionHash: `0x${'7d'.repeat(32)}`,
      logIndex: 4,
      wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    },
    as: 'anybody',
  },
  'GET /api/split/deploy': { path: '/api/split/deploy' },
  'GET /api/split/versions': { path: '/api/split/versions' },
  'GET /api/split/transactions': { path: '/api/split/transactions?limit=20' },
  'GET /api/split/transactions/export': { path: '/api/split/transactions/export' },
  'GET /api/payments/export': { path: '/api/payments/export' },
  'GET /api/shop/config': { path: '/api/shop/config' },
  'GET /api/shop/slugs/{slug}': { path: '/api/shop/slugs/corner-cafe', as: 'session' },
  'GET /api/site/config': { path: '/api/site/config', as: 'anybody' },
  'GET /api/failure-codes': { path: '/api/failure-codes', as: 'anybody' },
  'GET /api/receipts/{id}/money': { path: '/api/receipts/order-1001/money' },
  'GET /api/events': { path: '/api/events?after=0&limit=20' },
  'GET /api/webhooks/deliveries': { path: '/api/webhooks/deliveries?receiptId=order-1001' },
  'GET /api/auth/session': { path: '/api/auth/session', as: 'session' },
  'GET /api/auth/merchants': { path: '/api/auth/merchants', as: 'session' },
  'GET /api/subscriptions': { path: '/api/subscriptions', as: 'session' },
  'POST /api/subscriptions': {
    path: '/api/subscriptions',
    body: { name: 'Shop', scopes: ['inventory:read', 'orders:create', 'receipts:read'] },
    as: 'session',
  },
  'GET /api/members': { path: '/api/members', as: 'session' },
  'POST /api/members': {
    path: '/api/members',
    body: { wallet: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', role: 'cashier' },
    as: 'session',
  },
  'GET /api/members/invitations': { path: '/api/members/invitations', as: 'session' },
  'POST /api/members/invitations': {
    path: '/api/members/invitations',
    body: { role: 'cashier', expiresInDays: 7 },
    as: 'session',
  },
  'GET /api/settings': { path: '/api/settings', as: 'session' },
  'POST /api/settings': {
    path: '/api/settings',
    body: { taxRates: [{ jurisdictionCode: 'US-CA', rate: 0.0725 }] },
    as: 'session',
  },
  'GET /api/audit': { path: '/api/audit?limit=20', as: 'session' },
  'GET /api/requests': { path: '/api/requests?limit=20', as: 'session' },
  'POST /api/shop/config': {
    path: '/api/shop/config',
    body: { name: 'Harbour Coffee', theme: { primaryColor: '#0b5d66' } },
    as: 'session',
  },
  'POST /api/split/deploy': { path: '/api/split/deploy', body: {}, as: 'session' },
  'POST /api/receipts/terminal': {
    path: '/api/receipts/terminal',
    body: { amountUsd: 12.5, label: 'At the counter', jurisdictionCode: 'US-CA' },
    as: 'session',
  },
  'POST /api/webhooks/test': { path: '/api/webhooks/test', body: { url: 'http://127.0.0.1:9000/hook' } },
}
