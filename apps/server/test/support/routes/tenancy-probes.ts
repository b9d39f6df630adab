import type { Tenant } from '../worlds/tenant.ts'

/** What becomes of a request about one merchant's things when another, or nobody, sends it. */
export type Outcome =
  /** Whoever may call the route at all gets 404. */
  | 'not-found'
  /** It is about the caller's own things whatever it names: nothing of the other merchant is in the answer. */
  | 'own'
  /** Whoever may call the route at all is refused. */
  | 'refused'
  /** It shows everybody what a shop or a checkout shows everybody, and no more. */
  | 'public'

/** One such request. */
export type Probe = {
  readonly target: string
  readonly body?: object | string
  readonly headers?: Record<string, string>
  readonly outcome: Outcome
  /** The operator may do this to every merchant: he is not asked. */
  readonly isForOperator?: boolean
}

/** Where the owner's lists went on, by path. */
export type Cursors = Readonly<Record<string, string>>

type Probes = (a: Tenant, cursors: Cursors, b: Tenant) => readonly Probe[]

const hash = `0x${'ab'.repeat(32)}`
const line = { label: 'Mine', priceUsd: 1 }

const at = (targets: readonly string[], outcome: Outcome, body?: object): Probe[] =>
  targets.map((target) => ({ target, outcome, ...(body && { body }) }))

const own = (target: string, body?: object | string): Probes => {
  return () => [{ target, outcome: 'own', ...(body !== undefined && { body }) }]
}

/** A list's own page, and what its owner's cursor and filters bring somebody else. */
const list = (path: string, more: (a: Tenant) => readonly string[] = () => []): Probes => {
  return (a, cursors) =>
    at(
      [
        path,
        ...more(a).map((query) => `${path}?${query}`),
        ...(cursors[path] === undefined ? [] : [`${path}?cursor=${encodeURIComponent(cursors[path])}`]),
      ],
      'own',
    )
}

const receiptIds = (a: Tenant) => [...Object.values(a.receipts), a.orderId]

/** Ids of receipts under the wallet of somebody else: those we made are found without one, and still are not his. */
const underOther = (a: Tenant, b: Tenant, path: (id: string) => string) =>
  receiptIds(a).map((id) => `${path(id)}?recipient=${b.wallet}`)

const shown = (a: Tenant, b: Tenant, path: (id: string) => string, body?: object): Probe[] => [
  ...at(
    receiptIds(a).map((id) => `${path(id)}?recipient=${a.wallet}`),
    'public',
    body,
  ),
  ...at(underOther(a, b, path), 'not-found', body),
  ...at([path(a.receipts.pending)], 'not-found', body),
]

/**
 * For every endpoint, what another merchant could try in order to reach `a`'s things through it. What makes
 * things of the same names, or ends sessions, comes last.
 */
export const probes: Readonly<Record<string, Probes>> = {
  'GET /api/audit': list('/api/audit'),
  'GET /api/subscriptions': list('/api/subscriptions'),
  'POST /api/subscriptions': own('/api/subscriptions', { name: 'mine' }),
  'POST /api/subscriptions/{id}/keys/{slot}/rotate': (a) =>
    at(
      ['primary', 'secondary'].map((slot) => `/api/subscriptions/${a.subscriptionId}/keys/${slot}/rotate`),
      'not-found',
      {},
    ),
  'DELETE /api/subscriptions/{id}': (a) =>
    at(
      [a.subscriptionId, ...a.keyIds].map((id) => `/api/subscriptions/${id}`),
      'not-found',
    ),
  'GET /api/settings': own('/api/settings'),
  'POST /api/settings': own('/api/settings', { notificationAddress: 'mine@example.com' }),
  'GET /api/members': list('/api/members'),
  'POST /api/members': (a) => at(['/api/members'], 'own', { wallet: a.member, role: 'viewer' }),
  'DELETE /api/members': (a) =>
    at(
      [a.wallet, a.sessions.admin.wallet].map((wallet) => `/api/members?wallet=${wallet}`),
      'not-found',
    ),
  'GET /api/requests': list('/api/requests', (a) => [a.subscriptionId, ...a.keyIds].map((id) => `key=${id}`)),

  'GET /api/receipts': list('/api/receipts'),
  'GET /api/receipts/{id}': (a) =>
    at(
      receiptIds(a).map((id) => `/api/receipts/${id}`),
      'not-found',
    ),
  'PATCH /api/receipts/{id}': (a) =>
    at(
      receiptIds(a).map((id) => `/api/receipts/${id}`),
      'not-found',
      { lineItems: [line] },
    ),
  'GET /api/receipts/status': (a) =>
    at(
      receiptIds(a).map((id) => `/api/receipts/status?receiptId=${id}`),
      'not-found',
    ),
  'POST /api/receipts/status': (a, _, b) =>
    receiptIds(a).flatMap((receiptId): Probe[] => {
      const probe = { target: '/api/receipts/status', isForOperator: true }
      return [
        { ...probe, outcome: 'refused', body: sensitive(receiptId, a.wallet) },
        { ...probe, outcome: 'not-found', body: sensitive(receiptId, b.wallet) },
      ]
    }),
  'POST /api/receipts/refund': (a, _, b) =>
    receiptIds(a).flatMap((receiptId): Probe[] => {
      const body = { receiptId, buyer: b.wallet, usd: 1, txHash: hash }
      return [
        { target: '/api/receipts/refund', outcome: 'refused', body: { ...body, wallet: a.wallet } },
        { target: '/api/receipts/refund', outcome: 'not-found', body: { ...body, wallet: b.wallet } },
      ]
    }),
  'POST /api/receipts/terminal': (a) => [
    {
      target: '/api/receipts/terminal',
      outcome: 'own',
      body: { amountUsd: 1, wallet: a.wallet },
      headers: { 'x-wallet': a.wallet },
    },
  ],
  'GET /api/terminal/check-payment': (a) =>
    at(
      receiptIds(a).map((id) => `/api/terminal/check-payment?receiptId=${id}`),
      'not-found',
    ),

  'GET /api/inventory': list('/api/inventory', (a) => [
    `q=${a.publicWord}`,
    `q=${a.sku}`,
    'status=any',
    'status=draft',
  ]),
  'GET /api/inventory/export': own('/api/inventory/export'),
  'GET /api/inventory/{id}': (a) => at([`/api/inventory/${a.soldId}`], 'not-found'),
  'PATCH /api/inventory/{id}': (a) => at([`/api/inventory/${a.soldId}`], 'not-found', { priceUsd: 0 }),
  'DELETE /api/inventory/{id}': (a) => at([`/api/inventory/${a.soldId}`], 'not-found'),

  'GET /api/orders': list('/api/orders'),
  'POST /api/orders': (a) => [
    ...at(['/api/orders'], 'refused', { items: [{ id: a.soldId, qty: 1 }], jurisdictionCode: 'US-OR' }),
    ...at(['/api/orders'], 'refused', { items: [{ sku: a.soldSku, qty: 1 }], jurisdictionCode: 'US-OR' }),
  ],
  'GET /api/orders/{id}': (a) =>
    at(
      receiptIds(a).map((id) => `/api/orders/${id}`),
      'not-found',
    ),
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
  'GET /api/site/config': own('/api/site/config'),
  'POST /api/site/config': own('/api/site/config', { processingFeePct: null }),
  'GET /api/site/brands': own('/api/site/brands'),
  'GET /api/site/merchants': (a) => [
    { target: '/api/site/merchants', outcome: 'refused', isForOperator: true },
    { target: `/api/site/merchants?cursor=${a.wallet}`, outcome: 'refused', isForOperator: true },
  ],
  'POST /api/site/merchants': (a) => [
    {
      target: '/api/site/merchants',
      body: { merchantWallet: a.wallet, brandKey: 'acme' },
      outcome: 'refused',
      isForOperator: true,
    },
  ],
  'GET /api/failure-codes': own('/api/failure-codes'),

  'GET /api/checkout/{id}': (a, _, b) => shown(a, b, (id) => `/api/checkout/${id}`),
  'POST /api/checkout/{id}/attempts': (a, _, b) =>
    at(
      underOther(a, b, (id) => `/api/checkout/${id}/attempts`),
      'not-found',
      { token: 'ETH' },
    ),
  'POST /api/checkout/{id}/hint': (a, _, b) =>
    at(
      underOther(a, b, (id) => `/api/checkout/${id}/hint`),
      'not-found',
      { transactionHash: hash },
    ),
  'GET /api/deposits/waiting': own('/api/deposits/waiting'),
  'GET /api/payments/unmatched': list('/api/payments/unmatched', () => ['state=all']),
  'POST /api/payments/unmatched/{id}': (a) => [
    ...at([`/api/payments/unmatched/${a.unmatchedId}`], 'not-found', { action: 'keep' }),
    ...at([`/api/payments/unmatched/${a.unmatchedId}`], 'not-found', { action: 'refund', txHash: hash }),
    ...at([`/api/payments/unmatched/${a.unmatchedId}`], 'not-found', {
      action: 'apply',
      receiptId: a.receipts.pending,
    }),
  ],

  'GET /api/events': list('/api/events', () => ['after=0', 'after=1']),
  'GET /api/webhooks/deliveries': list('/api/webhooks/deliveries', (a) =>
    Object.values(a.receipts).map((id) => `receiptId=${id}`),
  ),
  'POST /api/webhooks/deliveries/{id}/redeliver': (a) =>
    at([`/api/webhooks/deliveries/${a.deliveryId}/redeliver`], 'not-found', {}),
  'POST /api/webhooks/test': own('/api/webhooks/test', { url: 'https://mine.example.com/hook' }),

  'GET /pay/{id}': (a, _, b) => shown(a, b, (id) => `/pay/${id}`),
  'GET /portal/{id}': (a, _, b) => shown(a, b, (id) => `/portal/${id}`),
  'GET /pay/{id}/status': (a, _, b) => shown(a, b, (id) => `/pay/${id}/status`),
  'GET /pay/{id}/events': (a, _, b) => shown(a, b, (id) => `/pay/${id}/events`),
  'GET /assets/{file}': (a) => at([`/assets/${a.receipts.paid}`], 'not-found'),
  'GET /favicon.ico': own('/favicon.ico'),
  'GET /healthz': own('/healthz'),
  'GET /readyz': own('/readyz'),
  'GET /metrics': own('/metrics'),
  'GET /openapi.json': own('/openapi.json'),
  'GET /docs': own('/docs'),
  'GET /docs/': own('/docs/'),
  'GET /docs/js/scalar.js': own('/docs/js/scalar.js'),
  'POST /local/wallet': own('/local/wallet', { method: 'eth_chainId' }),

  'POST /api/receipts': (a) =>
    Object.entries(a.receipts).map(([name, id]) => ({
      target: '/api/receipts',
      // An id of the form we make ourselves is nobody's to choose.
      outcome: id.startsWith('R-') ? 'refused' : 'own',
      headers: { 'idempotency-key': `${a.idempotencyKey}-${name}` },
      body: { id, lineItems: [line], totalUsd: 1 },
    })),
  'POST /api/inventory': (a) => [
    ...at(['/api/inventory'], 'own', { sku: a.sku, name: 'Mine', priceUsd: 1 }),
    ...at(['/api/inventory'], 'own', { id: a.productId, sku: `x-${a.sku}`, name: 'Mine', priceUsd: 1 }),
  ],
  'POST /api/inventory/import': (a) => [
    {
      target: '/api/inventory/import',
      outcome: 'own',
      body: `id,sku,name,priceUsd\n${a.draftId},y-${a.sku},Mine,1\n`,
      headers: { 'content-type': 'text/csv' },
    },
  ],
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
  'GET /api/auth/sessions': own('/api/auth/sessions'),
  'DELETE /api/auth/sessions/{id}': (a) =>
    at(
      a.sessionIds.map((id) => `/api/auth/sessions/${id}`),
      'not-found',
    ),
  'DELETE /api/auth/sessions': own('/api/auth/sessions'),
  'POST /api/auth/logout': own('/api/auth/logout', {}),
}

function sensitive(receiptId: string, wallet: string) {
  return { receiptId, wallet, status: 'checkout_success' }
}
