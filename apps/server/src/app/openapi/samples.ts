import { createHash } from 'node:crypto'
import { firstPreviousHash } from '@sluice/protocol/api/events.ts'
import { sampleWebhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { describeFailure, noFailure } from '@sluice/protocol/failures.ts'
import {
  createdAt,
  hook,
  type JsonValue,
  merchant,
  orderId,
  paidAt,
  partner,
  product,
  split,
  transactionHash,
  url,
} from './sample-values.ts'

export type SampleResponse = { readonly status: 200 | 201; readonly body: JsonValue }

const receipt = {
  receiptId: 'order-1001',
  totalUsd: 30,
  currency: 'USD',
  lineItems: [
    { label: 'Espresso beans, 1 kg', priceUsd: 38, qty: 1, amount: 38 },
    { label: 'Welcome discount', priceUsd: -8, amount: -8 },
  ],
  createdAt,
  brandName: 'Harbour Coffee',
  status: 'paid',
  displayStatus: 'paid',
  total: 30,
  pricing: {
    valuation: { version: 1, currency: 'USD', usdPerUnit: 1, quotedAt: createdAt, provider: 'identity' },
    originalTotal: 30,
    originalLineItems: [
      { label: 'Espresso beans, 1 kg', amount: 38, qty: 1 },
      { label: 'Welcome discount', amount: -8 },
    ],
  },
}

const sampleEventText = JSON.stringify(sampleWebhookBody)
const expired = describeFailure('PORTAL_PAY_CARD_EXPIRED')

export const sampleBodies: Readonly<Record<string, JsonValue>> = {
  'POST /api/inventory': {
    id: 'mug',
    sku: 'mug',
    name: 'Mug',
    priceUsd: 19.99,
    stockQty: 100,
    taxable: true,
  },
  'PATCH /api/inventory/{id}': { priceUsd: 18.5, tags: ['kitchen'] },
  'POST /api/inventory/import': 'sku,name,priceUsd,stockQty\ncup,Cup,12.50,40\nsaucer,Saucer,6.00,40',
  'POST /api/orders': {
    items: [{ sku: 'mug', qty: 2 }],
    jurisdictionCode: 'US-CA',
    webhook_url: hook,
    transactionId: 'cart-7',
  },
  'POST /api/receipts': {
    id: 'order-1001',
    currency: 'USD',
    lineItems: [
      { label: 'Espresso beans, 1 kg', amount: 38, qty: 1 },
      { label: 'Welcome discount', amount: -8 },
    ],
    webhook_url: hook,
  },
  'POST /api/checkout/{id}/attempts': { token: 'USDC' },
  'POST /api/subscriptions': { name: 'Shop', scopes: ['inventory:read', 'orders:create', 'receipts:read'] },
  'POST /api/members': { wallet: merchant, role: 'cashier' },
  'POST /api/members/invitations': { role: 'cashier', expiresInDays: 7 },
  'POST /api/settings': { taxRates: [{ jurisdictionCode: 'US-CA', rate: 0.0725 }] },
  'POST /api/shop/config': { name: 'Harbour Coffee', theme: { primaryColor: '#0b5d66' } },
  'POST /api/receipts/terminal': { amountUsd: 12.5, label: 'At the counter', jurisdictionCode: 'US-CA' },
  'POST /api/webhooks/test': { url: hook },
}

/** Sample responses by method and path. A test validates each against the schema of its route. */
export const sampleResponses: Readonly<Record<string, SampleResponse>> = {
  'POST /api/receipts': {
    status: 201,
    body: {
      id: 'order-1001',
      paymentUrl: `${url}/portal/order-1001?recipient=${merchant}`,
      status: 'pending',
      redirectUrl: null,
      webhookUrl: hook,
    },
  },
  'GET /api/receipts': { status: 200, body: { receipts: [receipt], nextCursor: null } },
  'GET /api/receipts/status': {
    status: 200,
    body: {
      id: 'order-1001',
      status: 'paid',
      currency: 'USDC',
      amount: 30,
      amountRaw: '30000000',
      transactionHash,
      ...noFailure,
    },
  },
  'POST /api/checkout/{id}/onramp': {
    status: 201,
    body: {
      provider: 'stripe',
      providerSessionId: 'cos_1QzT2mKx8eHn',
      url: 'https://crypto.link.com?session_hash=CCwQARoXChVhY2N0',
      attemptId: '01J8ZQ4W7N3T6V9X2B5D8F0H1K',
      amount: '30000000',
    },
  },
  'POST /api/receipts/status': { status: 200, body: { ok: true } },
  'POST /api/receipts/{id}/cancel': {
    status: 200,
    body: { ok: true, id: 'order-1001', status: 'pending', cancelledAt: paidAt },
  },
  'POST /api/orders': {
    status: 201,
    body: {
      ok: true,
      id: orderId,
      receiptId: orderId,
      paymentUrl: `${url}/pay/${orderId}`,
      status: 'pending',
      receipt: {
        receiptId: orderId,
        totalUsd: 42.88,
        currency: 'USD',
        lineItems: [
          { label: 'Mug', priceUsd: 39.98, qty: 2 },
          { label: 'Tax', priceUsd: 2.9 },
        ],
        createdAt,
        brandName: 'Harbour Coffee',
        status: 'pending',
        displayStatus: 'pending',
      },
    },
  },
  'GET /api/inventory': { status: 200, body: { items: [product], total: 1, nextCursor: null } },
  'POST /api/inventory': { status: 201, body: { ok: true, item: product } },
  'GET /api/split/deploy': {
    status: 200,
    body: {
      split: {
        address: split,
        recipients: [
          { address: merchant, sharesBps: 9950 },
          { address: partner, sharesBps: 50 },
        ],
        version: 1,
        chainId: 8453,
        deployed: true,
        pending: null,
      },
    },
  },
  'GET /api/split/transactions': {
    status: 200,
    body: [
      {
        id: `${transactionHash}-3`,
        receiptId: 'order-1001',
        amount: 30,
        amountRaw: '30000000',
        currency: 'USDC',
        status: 'distributed',
        timestamp: new Date(paidAt).toISOString(),
        transactionHash,
        fees: 0.15,
      },
    ],
  },
  'GET /api/failure-codes': {
    status: 200,
    body: {
      failureCodes: [
        {
          code: `${expired.failureCode}`,
          category: expired.failureCategory,
          reason: expired.failureReason,
          action: expired.failureAction,
          retry: 'after_action',
          providerCodes: ['expired_card'],
        },
      ],
    },
  },
  'GET /api/events': {
    status: 200,
    body: {
      events: [
        {
          number: 1,
          receiptId: 'order-1001',
          idempotencyKey: sampleWebhookBody.idempotencyKey,
          createdAt: paidAt,
          previousHash: firstPreviousHash,
          hash: createHash('sha256')
            .update(firstPreviousHash + sampleEventText)
            .digest('hex'),
          body: sampleEventText,
        },
      ],
      nextCursor: null,
      last: 1,
    },
  },
  'GET /api/webhooks/deliveries': {
    status: 200,
    body: {
      deliveries: [
        {
          id: '01J8ZQ4W7N3T6V9X2B5D8F0H1M',
          receiptId: 'order-1001',
          url: hook,
          event: 'receipt.status_updated',
          idempotencyKey: sampleWebhookBody.idempotencyKey,
          sequence: 3,
          state: 'delivered',
          supersededBy: null,
          createdAt: paidAt,
          settledAt: paidAt + 180,
          nextAttemptAt: null,
          attemptCount: 1,
          attempts: [
            {
              attempt: 1,
              deliveryId: '0f8fad5b-d9cb-469f-a165-70867728950e',
              startedAt: paidAt + 60,
              durationMs: 120,
              status: 204,
              error: null,
            },
          ],
        },
      ],
      nextCursor: null,
    },
  },
}
