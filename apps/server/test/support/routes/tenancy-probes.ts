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

/** What to ask at one endpoint. */
export type Probes = (a: Tenant, cursors: Cursors, b: Tenant) => readonly Probe[]

const hash = `0x${'ab'.repeat(32)}`
const line = { label: 'Mine', priceUsd: 1 }

const at = (targets: readonly string[], outcome: Outcome, body?: object): Probe[] =>
  targets.map((target) => ({ target, outcome, ...(body && { body }) }))

/** What is about the caller's own things, or about nobody's. */
export const own = (target: string, body?: object | string): Probes => {
  return () => [{ target, outcome: 'own', ...(body !== undefined && { body }) }]
}

/** A list's own page, and what its owner's cursor and filters bring somebody else. */
const list = (path: string, more: (a: Tenant) => readonly string[] = () => []): Probes => {
  return (a, cursors) => {
    const cursor = cursors[path] === undefined ? [] : [`cursor=${encodeURIComponent(cursors[path])}`]
    const queries = [...more(a), ...cursor].map((query) => `${path}?${query}`)
    return at([path, ...queries], 'own')
  }
}

const receiptIds = (a: Tenant) => [...Object.values(a.receipts), a.orderId]

const forOperator = (of: readonly Probe[]) => of.map((probe) => ({ ...probe, isForOperator: true }))

/** What is said of the owner's receipts in the name of its merchant, and in one's own. */
const underEither = (a: Tenant, b: Tenant, target: string, body: object) =>
  receiptIds(a).flatMap((receiptId) => [
    ...at([target], 'refused', { ...body, receiptId, wallet: a.wallet }),
    ...at([target], 'not-found', { ...body, receiptId, wallet: b.wallet }),
  ])

/** Things of the owner's that are nobody else's: the id of each stands for `*` in `path`. */
const each = (ids: (a: Tenant) => readonly string[], path: string, body?: object): Probes => {
  return (a) => {
    const targets = ids(a).map((id) => path.replace('*', id))
    return at(targets, 'not-found', body)
  }
}

/** Receipts under the wallet of somebody else: those we made are found without one, and still are not his. */
const underOther = (path: string, body?: object): Probes => {
  return (a, _, b) => {
    const targets = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${b.wallet}`)
    return at(targets, 'not-found', body)
  }
}

/** What a buyer is shown of a receipt, under its merchant's wallet alone. */
const shown = (path: string): Probes => {
  return (a, cursors, b) => {
    const own = receiptIds(a).map((id) => `${path.replace('*', id)}?recipient=${a.wallet}`)
    const alone = at([path.replace('*', a.receipts.pending)], 'not-found')
    return [...at(own, 'public'), ...underOther(path)(a, cursors, b), ...alone]
  }
}

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
  'DELETE /api/subscriptions/{id}': each((a) => [a.subscriptionId, ...a.keyIds], '/api/subscriptions/*'),
  'GET /api/settings': own('/api/settings'),
  'POST /api/settings': own('/api/settings', { notificationAddress: 'mine@example.com' }),
  'GET /api/members': list('/api/members'),
  'POST /api/members': (a) => at(['/api/members'], 'own', { wallet: a.member, role: 'viewer' }),
  'DELETE /api/members': each((a) => [a.wallet, a.sessions.admin.wallet], '/api/members?wallet=*'),
  'GET /api/requests': list('/api/requests', (a) => [a.subscriptionId, ...a.keyIds].map((id) => `key=${id}`)),

  'GET /api/receipts': list('/api/receipts'),
  'GET /api/receipts/{id}': each(receiptIds, '/api/receipts/*'),
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
  'GET /api/inventory/{id}': (a) => at([`/api/inventory/${a.soldId}`], 'not-found'),
  'PATCH /api/inventory/{id}': (a) => at([`/api/inventory/${a.soldId}`], 'not-found', { priceUsd: 0 }),
  'DELETE /api/inventory/{id}': (a) => at([`/api/inventory/${a.soldId}`], 'not-found'),

  'GET /api/orders': list('/api/orders'),
  'POST /api/orders': (a) =>
    [{ id: a.soldId }, { sku: a.soldSku }].flatMap((item) =>
      at(['/api/orders'], 'refused', { items: [{ ...item, qty: 1 }], jurisdictionCode: 'US-OR' }),
    ),
  'GET /api/orders/{id}': each(receiptIds, '/api/orders/*'),
  'GET /api/tax/catalog': own('/api/tax/catalog'),

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
  'GET /api/site/merchants': (a) =>
    forOperator(at(['/api/site/merchants', `/api/site/merchants?cursor=${a.wallet}`], 'refused')),
  'POST /api/site/merchants': (a) =>
    forOperator(at(['/api/site/merchants'], 'refused', { merchantWallet: a.wallet, brandKey: 'acme' })),
  'GET /api/failure-codes': own('/api/failure-codes'),

  'GET /api/checkout/{id}': shown('/api/checkout/*'),
  'POST /api/checkout/{id}/attempts': underOther('/api/checkout/*/attempts', { token: 'ETH' }),
  'POST /api/checkout/{id}/hint': underOther('/api/checkout/*/hint', { transactionHash: hash }),
  'GET /api/deposits/waiting': own('/api/deposits/waiting'),
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
  // Whoever knows the transaction may claim its payment; what is asked of another one finds nothing.
  'POST /api/payments/claims': (a, _, b) =>
    at(['/api/payments/claims'], 'not-found', {
      transactionHash: a.unmatchedHash,
      logIndex: 0,
      refundAddress: b.wallet,
      contact: 'mine@example.com',
    }),

  'GET /api/events': list('/api/events', () => ['after=0', 'after=1']),
  'GET /api/webhooks/deliveries': list('/api/webhooks/deliveries', (a) =>
    Object.values(a.receipts).map((id) => `receiptId=${id}`),
  ),
  'POST /api/webhooks/deliveries/{id}/redeliver': (a) =>
    at([`/api/webhooks/deliveries/${a.deliveryId}/redeliver`], 'not-found', {}),
  'POST /api/webhooks/test': own('/api/webhooks/test', { url: 'https://mine.example.com/hook' }),

  'GET /pay/{id}': shown('/pay/*'),
  'GET /portal/{id}': shown('/portal/*'),
  'GET /pay/{id}/status': shown('/pay/*/status'),
  'GET /pay/{id}/events': shown('/pay/*/events'),
  'GET /pay/{id}/on-success': (a, cursors, b) => {
    const headers = { 'sec-fetch-dest': 'iframe' }
    const path = (id: string) => `/pay/${id}/on-success?recipient=${a.wallet}`
    const unpaid = [a.receipts.pending, a.receipts.cancelled, a.receipts.refunded].map(path)
    return [
      ...at([path(a.receipts.paid)], 'public').map((probe) => ({ ...probe, headers })),
      ...at([path(a.receipts.paid)], 'not-found'),
      ...[...at(unpaid, 'not-found'), ...underOther('/pay/*/on-success')(a, cursors, b)].map((probe) => ({
        ...probe,
        headers,
      })),
    ]
  },
  'GET /receipt/{id}': (...who) => [
    ...shown('/receipt/*')(...who),
    ...underOther('/receipt/*.pdf')(...who),
    ...at(
      [`/receipt/${who[0].receipts.paid}?recipient=${who[0].wallet}&access=z.${'0'.repeat(64)}`],
      'public',
    ),
  ],
  'GET /claim': (a) => at(['/claim', `/claim?hash=${a.unmatchedHash}`, `/claim?hash=${hash}`], 'public'),
  'POST /claim': () => [
    {
      target: '/claim',
      outcome: 'not-found',
      body: `hash=${hash}&log=0&refundAddress=0x${'12'.repeat(20)}&contact=mine`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
  ],
  'GET /claim/{id}': (a) => at([`/claim/${a.unmatchedId}`, `/claim/C-${'0'.repeat(26)}`], 'not-found'),
  'GET /assets/{file}': (a) => at([`/assets/${a.receipts.paid}`], 'not-found'),
  'GET /': own('/'),
  'GET /app': own('/app'),
  'GET /app*': own('/app/receipts'),
  'GET /app/assets/{file}': (a) => at([`/app/assets/${a.receipts.paid}`], 'not-found'),
  'GET /favicon.ico': own('/favicon.ico'),
  'GET /healthz': own('/healthz'),
  'GET /readyz': own('/readyz'),
  'GET /metrics': own('/metrics'),
  'GET /openapi.json': own('/openapi.json'),
  'GET /docs': own('/docs'),
  'GET /docs/': own('/docs/'),
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
  'GET /api/auth/sessions': own('/api/auth/sessions'),
  'DELETE /api/auth/sessions/{id}': each((a) => a.sessionIds, '/api/auth/sessions/*'),
  'DELETE /api/auth/sessions': own('/api/auth/sessions'),
  'POST /api/auth/logout': own('/api/auth/logout', {}),
}
