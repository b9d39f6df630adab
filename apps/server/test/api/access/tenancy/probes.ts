import type { Tenant } from '../../../support/service/tenant.ts'
import { pageProbes } from './page-probes.ts'
import {
  at,
  each,
  forOperator,
  hash,
  line,
  list,
  own,
  type Probes,
  receiptIds,
  shown,
  underEither,
  underOther,
} from './probe.ts'

/** An EIP-3009 message with the right format and invalid content. */
const authorization = {
  from: `0x${'12'.repeat(20)}`,
  to: `0x${'34'.repeat(20)}`,
  value: '1',
  validAfter: '0',
  validBefore: '1790000000',
  nonce: `0x${'5a'.repeat(32)}`,
}

const receiptFilters = (a: Tenant) => [
  ...receiptIds(a).map((id) => `q=${encodeURIComponent(id)}`),
  'interval=month',
  'status=paid,pending',
  'min=0',
]

/**
 * Requests by which another merchant could try to reach A's data, for each endpoint. Requests that create
 * objects with A's names, or end sessions, come last.
 */
export const probes: Readonly<Record<string, Probes>> = {
  'GET /api/audit': list('/api/audit', (a) => [`actor=${a.wallet}`, 'action=member']),
  'GET /api/subscriptions': list('/api/subscriptions'),
  'POST /api/subscriptions': own('/api/subscriptions', { name: 'mine' }),
  'POST /api/subscriptions/{id}/keys/{slot}/rotate': each(
    (a) => ['primary', 'secondary'].map((slot) => `${a.subscriptionId}/keys/${slot}`),
    '/api/subscriptions/*/rotate',
    {},
  ),
  'DELETE /api/subscriptions/{id}': each((a) => [a.subscriptionId, ...a.keyIds], '/api/subscriptions/*'),
  'GET /api/settings': own('/api/settings'),
  'POST /api/settings': own('/api/settings', { embedOrigins: ['https://mine.example'] }),
  'GET /api/members': list('/api/members'),
  'POST /api/members': (a) => at(['/api/members'], 'own', { wallet: a.member, role: 'viewer' }),
  'DELETE /api/members': each((a) => [a.wallet, a.sessions.admin.wallet], '/api/members?wallet=*'),
  'GET /api/members/invitations': list('/api/members/invitations'),
  'POST /api/members/invitations': own('/api/members/invitations', { role: 'viewer' }),
  'DELETE /api/members/invitations/{id}': each((a) => [a.invitationId], '/api/members/invitations/*'),
  'POST /api/auth/invitation': (a) =>
    at(['/api/auth/invitation'], 'not-found', { invitation: a.invitationId }),
  'GET /api/requests': list('/api/requests', (a) => [a.subscriptionId, ...a.keyIds].map((id) => `key=${id}`)),

  'GET /api/receipts': list('/api/receipts', receiptFilters),
  'GET /api/receipts/summary': list('/api/receipts/summary', receiptFilters),
  'GET /api/receipts/export': list('/api/receipts/export', (a) =>
    receiptIds(a).map((id) => `q=${encodeURIComponent(id)}`),
  ),
  'GET /api/payments/export': own('/api/payments/export'),
  'GET /api/split/transactions/export': list('/api/split/transactions/export', (a) => [
    `address=${a.wallet}`,
  ]),
  'GET /api/receipts/{id}': each(receiptIds, '/api/receipts/*'),
  'GET /api/receipts/{id}/money': each(receiptIds, '/api/receipts/*/money'),
  'GET /api/receipts/{id}/timeline': each(receiptIds, '/api/receipts/*/timeline'),
  'PATCH /api/receipts/{id}': each(receiptIds, '/api/receipts/*', { lineItems: [line] }),
  'POST /api/receipts/{id}/cancel': each(receiptIds, '/api/receipts/*/cancel'),
  'GET /api/receipts/status': each(receiptIds, '/api/receipts/status?receiptId=*'),
  'POST /api/receipts/status': (a, _, b) =>
    forOperator(underEither(a, b, '/api/receipts/status', { status: 'checkout_success' })),
  'POST /api/receipts/refund': (a, _, b) =>
    underEither(a, b, '/api/receipts/refund', { buyer: b.wallet, usd: 1, txHash: hash }),
  'POST /api/receipts/terminal': (a) => {
    const [body, headers] = [{ amountUsd: 1, wallet: a.wallet }, { 'x-wallet': a.wallet }]
    return [{ target: '/api/receipts/terminal', outcome: 'own', body, headers }]
  },
  'GET /api/terminal/check-payment': each(receiptIds, '/api/terminal/check-payment?receiptId=*'),

  'GET /api/inventory': list('/api/inventory', ({ publicWord, sku }) => {
    return [`q=${publicWord}`, `q=${sku}`, 'status=any', 'status=draft']
  }),
  'GET /api/inventory/export': own('/api/inventory/export'),
  'GET /api/inventory/{id}': each((a) => [a.soldId], '/api/inventory/*'),
  'PATCH /api/inventory/{id}': each((a) => [a.soldId], '/api/inventory/*', { priceUsd: 0 }),
  'DELETE /api/inventory/{id}': each((a) => [a.soldId], '/api/inventory/*'),

  'GET /api/orders': list('/api/orders'),
  'POST /api/orders': (a) =>
    [{ id: a.soldId }, { sku: a.soldSku }].flatMap((item) =>
      at(['/api/orders'], 'refused', { items: [{ ...item, qty: 1 }], jurisdictionCode: 'US-OR' }),
    ),
  'GET /api/orders/{id}': each(receiptIds, '/api/orders/*'),
  'GET /api/tax/catalog': own('/api/tax/catalog'),
  'GET /api/loyalty': (a) =>
    at([`/api/loyalty?wallet=${a.member}`, `/api/loyalty?wallet=${a.wallet}`], 'own'),

  'GET /api/split/deploy': own('/api/split/deploy'),
  'GET /api/split/transactions': list('/api/split/transactions', (a) => [
    `address=${a.splitAddress}`,
    `address=${a.wallet}`,
  ]),
  'POST /api/split/deploy': own('/api/split/deploy', {}),
  'GET /api/split/versions': list('/api/split/versions'),
  'POST /api/split/versions/preview': (a) =>
    at(['/api/split/versions/preview'], 'own', { recipients: [{ address: a.member, sharesBps: 9_950 }] }),
  'DELETE /api/split/versions/{version}': () => at(['/api/split/versions/2'], 'not-found'),
  'POST /api/split/withdraw': () => at(['/api/split/withdraw'], 'refused', {}),

  'GET /api/shop/config': own('/api/shop/config'),
  'POST /api/shop/config': (a) => [
    ...at(['/api/shop/config'], 'refused', { slug: a.slug }),
    ...at(['/api/shop/config'], 'own', { name: 'Mine', merchant: a.wallet, wallet: a.wallet }),
  ],
  'GET /api/shop/slugs/{slug}': own('/api/shop/slugs/some-word'),
  'GET /api/site/config': own('/api/site/config'),
  'POST /api/site/config': own('/api/site/config', { processingFeePct: null }),
  'GET /api/site/brands': own('/api/site/brands'),
  'GET /api/site/merchants': (a) =>
    forOperator(at(['/api/site/merchants', `/api/site/merchants?cursor=${a.wallet}`], 'refused')),
  'POST /api/site/merchants': (a) =>
    forOperator(at(['/api/site/merchants'], 'refused', { merchantWallet: a.wallet, brandKey: 'acme' })),
  'GET /api/failure-codes': own('/api/failure-codes'),
  'GET /api/web-app': own('/api/web-app'),

  'GET /api/checkout/{id}': shown('/api/checkout/*'),
  'POST /api/checkout/{id}/attempts': underOther('/api/checkout/*/attempts', { token: 'ETH' }),
  'POST /api/checkout/{id}/signature-request': underOther('/api/checkout/*/signature-request', {
    token: 'USDC',
    payer: authorization.from,
  }),
  'POST /api/checkout/{id}/signatures': underOther('/api/checkout/*/signatures', {
    attemptId: 'attempt',
    authorization,
    signature: `0x${'1b'.repeat(65)}`,
  }),
  'POST /api/checkout/{id}/onramp': (a) =>
    each(receiptIds, `/api/checkout/*/onramp?recipient=${a.member}`)(a, {}, a),
  'POST /api/onramp/events/{provider}': (a) =>
    at(['/api/onramp/events/paper'], 'refused', { sessionId: a.receipts.pending }),
  'POST /api/checkout/{id}/hint': underOther('/api/checkout/*/hint', { transactionHash: hash }),
  'GET /api/deposits/waiting': list('/api/deposits/waiting'),
  'GET /api/keeper': own('/api/keeper'),
  'GET /api/payments/questions': list('/api/payments/questions'),
  'GET /api/payments/unmatched': list('/api/payments/unmatched', () => ['state=all']),
  'POST /api/payments/unmatched/{id}': (a) => {
    const apply = { action: 'apply', receiptId: a.receipts.pending }
    return [{ action: 'keep' }, { action: 'refund', txHash: hash }, apply].flatMap((body) =>
      at([`/api/payments/unmatched/${a.unmatchedId}`], 'not-found', body),
    )
  },
  'POST /api/payments/claims/challenge': (a) =>
    at(['/api/payments/claims/challenge'], 'public', {
      transactionHash: a.unmatchedHash,
      logIndex: 1,
      wallet: a.wallet,
    }),
  // Anyone who knows a transaction may claim its payment. Log 0 is not a payment.
  'POST /api/payments/claims': (a, _, b) =>
    at(['/api/payments/claims'], 'not-found', {
      transactionHash: a.unmatchedHash,
      logIndex: 0,
      refundAddress: b.wallet,
      contact: 'mine@example.com',
    }),

  'GET /api/events': list('/api/events', () => ['after=0', 'after=1']),
  'GET /api/events/stream': own('/api/events/stream?lastEventId=0'),
  'GET /api/webhooks/deliveries': list('/api/webhooks/deliveries', (a) =>
    Object.values(a.receipts).map((id) => `receiptId=${id}`),
  ),
  'GET /api/webhooks/deliveries/{id}': each((a) => [a.deliveryId], '/api/webhooks/deliveries/*'),
  'POST /api/webhooks/deliveries/{id}/redeliver': each(
    (a) => [a.deliveryId],
    '/api/webhooks/deliveries/*/redeliver',
    {},
  ),
  'POST /api/webhooks/test': own('/api/webhooks/test', { url: 'https://mine.example.com/hook' }),

  ...pageProbes,
  'GET /healthz': own('/healthz'),
  'GET /readyz': own('/readyz'),
  'GET /metrics': own('/metrics'),
  'GET /openapi.json': own('/openapi.json'),
  'GET /docs': own('/docs'),
  'GET /docs/': own('/docs/'),
  'GET /docs/api': own('/docs/api'),
  'GET /docs/search': own('/docs/search?q=refund'),
  'GET /docs/*': own('/docs/webhooks'),
  'GET /docs/images/{folder}/{file}': own('/docs/images/pages/receipt-paid.webp'),
  'POST /local/wallet': own('/local/wallet', { method: 'eth_chainId' }),
  'POST /local/merchant-wallet': own('/local/merchant-wallet', { method: 'eth_chainId' }),

  'POST /api/receipts': (a) =>
    Object.entries(a.receipts).map(([name, id]) => ({
      target: '/api/receipts',
      // Only the service creates ids of this form.
      outcome: id.startsWith('R-') ? 'refused' : 'own',
      headers: { 'idempotency-key': `${a.idempotencyKey}-${name}` },
      body: { id, lineItems: [line], totalUsd: 1 },
    })),
  'POST /api/inventory': (a) => [
    ...at(['/api/inventory'], 'own', { sku: a.sku, name: 'Mine', priceUsd: 1 }),
    ...at(['/api/inventory'], 'own', { id: a.productId, sku: `x-${a.sku}`, name: 'Mine', priceUsd: 1 }),
  ],
  'POST /api/inventory/import': (a) => {
    const body = `id,sku,name,priceUsd\n${a.draftId},y-${a.sku},Mine,1\n`
    return [
      { target: '/api/inventory/import', outcome: 'own', body, headers: { 'content-type': 'text/csv' } },
    ]
  },
  'POST /api/split/versions': (a) =>
    at(['/api/split/versions'], 'own', { recipients: [{ address: a.member, sharesBps: 9_950 }] }),

  'POST /api/auth/challenge': (a) => at(['/api/auth/challenge'], 'public', { address: a.wallet }),
  'POST /api/auth/login': (a, _, b) =>
    at(['/api/auth/login'], 'refused', {
      address: b.wallet,
      merchantWallet: a.wallet,
      signature: `0x${'11'.repeat(65)}`,
      nonce: hash,
    }),
  'GET /api/auth/session': own('/api/auth/session'),
  'GET /api/auth/merchants': own('/api/auth/merchants'),
  'POST /api/auth/merchant': (a) => at(['/api/auth/merchant'], 'refused', { merchantWallet: a.wallet }),
  'GET /api/auth/sessions': own('/api/auth/sessions'),
  'DELETE /api/auth/sessions/{id}': each((a) => a.sessionIds, '/api/auth/sessions/*'),
  'DELETE /api/auth/sessions': own('/api/auth/sessions'),
  'POST /api/auth/logout': own('/api/auth/logout', {}),
}
