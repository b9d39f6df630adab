import { badLimits, badWebhookUrls } from './bad-values.ts'
import {
  about,
  both,
  line,
  noAmount,
  noText,
  noWallet,
  options,
  page,
  reading,
  type Sample,
  writing,
} from './route-sample.ts'

const noId = { code: 'missing_receipt_id', values: noText } as const
const badPrices = ['', '-1', '1e2', '0x1', 'NaN', 'Infinity', '1.001', '1,5', '%00', '9'.repeat(40)]
const badNumbers = ['', '-1', '1e3', '0x1', '1.0', '9'.repeat(16), '%00', 'a']
const badMoments = ['', '-1', '1e3', '0x1', '1.0', 'now', '8640000000000001', '9'.repeat(30), '%00']
const badFilters = {
  status: ['', 'Paid', 'paid,', ',', 'paid;pending', '%25', 'all', '%00', 'a'.repeat(256)],
  from: badMoments,
  to: badMoments,
  q: ['%00', 'a'.repeat(256)],
  currency: ['', 'GBP', 'usdc', '%25', '%00'],
  min: [...badPrices, '1e400', '%2B1', '%D9%A3'],
  max: [...badPrices, '1e400', '%2B1', '%D9%A3'],
}
const noWalletCode = { code: 'invalid_wallet', values: noWallet } as const
const productDetails = { tags: ['a'], images: ['https://example.com/a.png'], attributes: { a: 1 } }

export const sellingSamples: Readonly<Record<string, Sample>> = {
  'GET /api/receipts': reading('/api/receipts', {
    ...page,
    ...badFilters,
    sort: ['', 'created', '+amount', '-AMOUNT', 'amount,createdAt', '%00'],
  }),
  'GET /api/receipts/summary': reading('/api/receipts/summary', {
    ...badFilters,
    interval: ['', 'year', 'DAY', '1', '%00'],
    timezone: ['', 'Mars/Olympus', '%2B02:00', '1', '..%2Fetc', '%00', 'a'.repeat(65)],
  }),
  'GET /api/receipts/export': reading('/api/receipts/export', {
    ...badFilters,
    sort: ['', 'created', '%00'],
  }),
  'GET /api/payments/export': reading('/api/payments/export', { from: badMoments, to: badMoments }),
  'GET /api/split/transactions/export': reading('/api/split/transactions/export', {
    address: ['', '0x', 'x', '%00'],
  }),
  'POST /api/receipts': writing(both, '/api/receipts', 201, (_, fresh) => ({
    id: `good-${fresh}`,
    lineItems: [line],
    totalUsd: 5,
    ...options,
  })),
  'GET /api/receipts/{id}': about('/api/receipts/*', (t) => t.receipts.paid),
  'GET /api/receipts/{id}/money': about('/api/receipts/*/money', (t) => t.receipts.paid),
  'GET /api/receipts/{id}/timeline': about('/api/receipts/*/timeline', (t) => t.receipts.paid),
  'PATCH /api/receipts/{id}': {
    ...about('/api/receipts/*', (t) => t.receipts.terminal, ['owner']),
    body: () => ({ lineItems: [line], totalUsd: 5 }),
  },
  'POST /api/receipts/{id}/cancel': about('/api/receipts/*/cancel', (t) => t.receipts.cancelled),
  'GET /api/receipts/status': about('/api/receipts/status?receiptId=*', (t) => t.receipts.paid),
  'POST /api/receipts/status': {
    ...writing(['owner'], '/api/receipts/status', 200, (t) => ({
      receiptId: t.receipts.refundRequested,
      wallet: t.wallet,
      status: 'checkout_success',
      reason: 'It came',
    })),
    codes: {
      receiptId: noId,
      wallet: noWalletCode,
      status: { code: 'missing_status', values: noText },
    },
  },
  'POST /api/receipts/refund': {
    ...writing(['owner'], '/api/receipts/refund', 200, (t) => ({
      receiptId: t.receipts.paid,
      wallet: t.wallet,
      buyer: t.member,
      usd: 1,
      items: [line],
    })),
    codes: {
      receiptId: noId,
      wallet: noWalletCode,
      buyer: { code: 'invalid_buyer', values: noWallet },
      usd: { code: 'invalid_usd', values: [undefined, ...noAmount, 5.01, 1_000_000] },
    },
  },
  'POST /api/receipts/terminal': {
    ...writing(['owner'], '/api/receipts/terminal', 200, () => ({
      amountUsd: 4,
      label: 'Cake',
      jurisdictionCode: 'US-OR',
      ...options,
    })),
    codes: { amountUsd: { code: 'invalid_amount', values: [undefined, ...noAmount] } },
  },
  'GET /api/terminal/check-payment': about('/api/terminal/check-payment?receiptId=*', (t) => t.receipts.paid),

  'GET /api/inventory': reading('/api/inventory', {
    ...page,
    q: ['%00', 'a'.repeat(201)],
    category: ['%00', 'a'.repeat(201)],
    tags: ['%00', 'a'.repeat(2_049)],
    taxable: ['', '1', 'yes', 'TRUE', 'null', '%00'],
    stock: ['', '1', 'IN', 'none', '%00'],
    priceMin: badPrices,
    priceMax: badPrices,
    sort: ['', 'price', 'cost_cents', 'constructor', '__proto__', 'name;DROP%20TABLE%20product', '%00'],
    order: ['', 'ASC', 'down', '1', '%00'],
    status: ['', 'ACTIVE', 'deleted', '%00'],
  }),
  'POST /api/inventory': writing(both, '/api/inventory', 201, (_, fresh) => ({
    sku: `good-${fresh}`,
    name: 'Good',
    priceUsd: 1,
    stockQty: 1,
    ...productDetails,
  })),
  'POST /api/inventory/import': {
    ...writing(both, '/api/inventory/import', 200, (_, fresh) => `sku,name,priceUsd\nfile-${fresh},Good,1\n`),
    contentType: 'text/csv',
  },
  'GET /api/inventory/export': reading('/api/inventory/export'),
  'GET /api/inventory/{id}': about('/api/inventory/*', (t) => t.productId),
  'PATCH /api/inventory/{id}': {
    ...about('/api/inventory/*', (t) => t.productId),
    body: () => ({ name: 'Better', ...productDetails }),
  },
  'DELETE /api/inventory/{id}': about('/api/inventory/*', (t) => t.draftId),

  'GET /api/orders': reading('/api/orders', page),
  'POST /api/orders': {
    ...writing(both, '/api/orders', 201, (t) => ({
      items: [{ sku: t.soldSku, qty: 1 }],
      jurisdictionCode: 'US-OR',
      ...options,
    })),
    codes: {
      items: { code: 'items_required', values: [[]] },
      'items/0/sku': { code: 'inventory_item_not_found', values: ['none', '__proto__', "' OR 1=1--", '%'] },
      'items/0/qty': { code: 'inventory_item_unavailable', values: [11, 1_000] },
    },
  },
  'GET /api/orders/{id}': about('/api/orders/*', (t) => t.orderId),
  'GET /api/tax/catalog': reading('/api/tax/catalog', {}, ['nobody']),
  'GET /api/loyalty': {
    as: both,
    target: (t) => `/api/loyalty?wallet=${t.member}`,
    comesTo: 200,
    query: { wallet: ['', 'me', '0x12', `0x${'g'.repeat(40)}`, '%00'] },
  },
  'GET /api/deposits/waiting': reading('/api/deposits/waiting', page, ['owner', 'operator']),
  'GET /api/keeper': reading('/api/keeper', {}, ['owner', 'operator']),
  'GET /api/payments/questions': reading('/api/payments/questions', page),
  'GET /api/payments/unmatched': reading('/api/payments/unmatched', {
    ...page,
    state: ['', 'OPEN', 'orphaned', '__proto__', '%00'],
  }),
  'POST /api/payments/unmatched/{id}': {
    ...about('/api/payments/unmatched/*', (t) => t.unmatchedId, ['owner']),
    body: () => ({ action: 'keep', note: 'Ours' }),
  },
  'POST /api/payments/claims/challenge': writing(['nobody'], '/api/payments/claims/challenge', 200, (t) => ({
    transactionHash: t.unmatchedHash,
    logIndex: 1,
    wallet: t.member,
  })),
  'POST /api/payments/claims': writing(['nobody'], '/api/payments/claims', 201, (t) => ({
    transactionHash: t.unmatchedHash,
    logIndex: 1,
    refundAddress: t.member,
    contact: 'buyer@example.com',
  })),

  'GET /api/events': reading('/api/events', {
    limit: badLimits,
    after: badNumbers,
    cursor: badNumbers,
  }),
  'GET /api/events/stream': reading('/api/events/stream', { lastEventId: badNumbers }),
  'GET /api/webhooks/deliveries': reading('/api/webhooks/deliveries', {
    ...page,
    state: ['', 'PENDING', 'lost', '__proto__', '%00'],
    receiptId: ['a'.repeat(129), '%00'],
  }),
  'GET /api/webhooks/deliveries/{id}': about('/api/webhooks/deliveries/*', (t) => t.deliveryId, ['owner']),
  'POST /api/webhooks/deliveries/{id}/redeliver': about(
    '/api/webhooks/deliveries/*/redeliver',
    (t) => t.deliveryId,
    ['owner'],
  ),
  'POST /api/webhooks/test': {
    ...writing(both, '/api/webhooks/test', 200, () => ({ url: 'https://example.com/hook' })),
    codes: { url: { code: 'invalid_input', values: badWebhookUrls } },
  },
}
