import { badWallets } from './bad-values.ts'
import { about, both, page, reading, type Sample, writing } from './route-sample.ts'

const someone = `0x${'12'.repeat(20)}`
const row = (sharesBps: unknown, address: unknown = someone) => ({ address, sharesBps })

const badRecipients = [
  [],
  [row(0)],
  [row(-1)],
  [row(10_001)],
  [row(99.5)],
  [row('9950')],
  [row(1e21)],
  [{ sharesBps: 9_950 }],
  [{ address: someone }],
  [row(9_950, 'a'.repeat(43))],
  Array.from({ length: 51 }, () => row(1)),
]

const badShares = [
  [row(9_949)],
  [row(9_951)],
  [row(4_975), row(4_975)],
  [row(4_975), row(4_975, someone.toUpperCase().replace('0X', '0x'))],
  [row(9_950, `0x${'0'.repeat(40)}`)],
  ...badWallets.map((address) => [row(9_950, address)]),
]

const noRecipients = {
  recipients: { code: 'invalid_input', values: [...badRecipients, ...badShares] },
} as const

const newVersion = (path: string, comesTo: number) =>
  writing(['owner'], path, comesTo, (t) => ({ recipients: [row(9_950, t.member)] }))

export const teamSamples: Readonly<Record<string, Sample>> = {
  'GET /api/audit': reading(
    '/api/audit',
    {
      ...page,
      actor: ['', '%00'],
      action: ['', 'A', 'a.b.c', '%00'],
      subject: ['%00'],
      from: ['x', '-1'],
      to: ['1e3'],
    },
    ['owner'],
  ),
  'GET /api/subscriptions': reading('/api/subscriptions', {}, ['owner']),
  'POST /api/subscriptions': writing(['owner'], '/api/subscriptions', 201, () => ({
    name: 'One more',
    scopes: ['receipts:read'],
  })),
  'POST /api/subscriptions/{id}/keys/{slot}/rotate': about(
    '/api/subscriptions/*/keys/secondary/rotate',
    (t) => t.subscriptionId,
    ['owner'],
  ),
  'DELETE /api/subscriptions/{id}': about(
    '/api/subscriptions/*',
    (t) => t.subscriptionId,
    ['owner'],
    'never',
  ),
  'GET /api/settings': reading('/api/settings', {}, ['owner']),
  'POST /api/settings': writing(['owner'], '/api/settings', 200, () => ({
    finality: { safeFromUsd: 100, finalFromUsd: 1000 },
    taxRates: [{ jurisdictionCode: 'US-OR', rate: 0.01, components: ['State'] }],
    embedOrigins: ['https://shop.example'],
  })),
  'GET /api/members': reading('/api/members', {}, ['owner']),
  'POST /api/members': writing(['owner'], '/api/members', 200, (t) => ({ wallet: t.member, role: 'viewer' })),
  'DELETE /api/members': {
    ...writing(['owner'], '/api/members', 200, (t) => ({ wallet: t.member })),
    query: { wallet: badWallets.map(encodeURIComponent) },
    hasOptionalBody: true,
  },
  'GET /api/members/invitations': reading('/api/members/invitations', {}, ['owner']),
  'POST /api/members/invitations': writing(['owner'], '/api/members/invitations', 201, () => ({
    role: 'cashier',
    expiresInDays: 3,
  })),
  'DELETE /api/members/invitations/{id}': about(
    '/api/members/invitations/*',
    (t) => t.invitationId,
    ['owner'],
    'never',
  ),
  'POST /api/auth/invitation': writing(['nobody'], '/api/auth/invitation', 200, (t) => ({
    invitation: t.invitation,
  })),
  'GET /api/requests': reading('/api/requests', { ...page, key: ['a'.repeat(65), '%00'] }, ['owner']),

  'GET /api/split/deploy': reading('/api/split/deploy'),
  'GET /api/split/transactions': reading('/api/split/transactions', {
    ...page,
    address: badWallets.map(encodeURIComponent),
  }),
  'POST /api/split/deploy': { as: ['owner'], target: () => '/api/split/deploy', comesTo: 200 },
  'GET /api/split/versions': reading('/api/split/versions', page),
  'POST /api/split/versions/preview': {
    ...newVersion('/api/split/versions/preview', 200),
    codes: noRecipients,
  },
  'POST /api/split/versions': { ...newVersion('/api/split/versions', 201), codes: noRecipients },
  'DELETE /api/split/versions/{version}': about('/api/split/versions/*', () => '2', ['owner']),
  'POST /api/split/withdraw': { as: both, target: () => '/api/split/withdraw', comesTo: 410 },

  'GET /api/shop/config': reading('/api/shop/config'),
  'GET /api/shop/slugs/{slug}': { as: ['owner'], target: () => '/api/shop/slugs/a-good-slug', comesTo: 200 },
  'POST /api/shop/config': writing(['owner'], '/api/shop/config', 200, () => ({
    name: 'Shop',
    theme: { primaryColor: '#112233' },
    links: [{ label: 'More', url: 'https://example.com/' }],
    xpPerDollar: 1,
  })),
  'GET /api/site/config': reading('/api/site/config', {}, ['nobody']),
  'POST /api/site/config': writing(['operator'], '/api/site/config', 200, () => ({
    brandKey: 'acme',
    domains: ['pay.acme.example'],
    theme: { brandName: 'Acme', primaryColor: '#112233' },
    processingFeePct: 0.5,
    defaultPaymentToken: 'USDC',
    reserveRatios: { USDC: 1 },
  })),
  'GET /api/site/brands': reading('/api/site/brands', {}, ['operator']),
  'GET /api/site/merchants': reading('/api/site/merchants', page, ['operator']),
  'POST /api/site/merchants': {
    ...writing(['operator'], '/api/site/merchants', 200, (t) => ({
      merchantWallet: t.wallet,
      brandKey: 'service',
    })),
    codes: { merchantWallet: { code: 'invalid_input', values: badWallets } },
  },
  'GET /api/failure-codes': reading('/api/failure-codes', {}, ['nobody']),
  'GET /api/web-app': reading('/api/web-app', {}, ['nobody']),
}

/** Samples for login and logout. The last ones end the session. */
export const loginSamples: Readonly<Record<string, Sample>> = {
  'POST /api/auth/challenge': {
    ...writing(['nobody'], '/api/auth/challenge', 200, (t) => ({ address: t.wallet })),
    codes: { address: { code: 'invalid_input', values: badWallets } },
  },
  'POST /api/auth/login': writing(['nobody'], '/api/auth/login', 401, (t) => ({
    address: t.wallet,
    signature: `0x${'11'.repeat(65)}`,
    nonce: `0x${'22'.repeat(32)}`,
    merchantWallet: t.wallet,
  })),
  'GET /api/auth/session': reading('/api/auth/session', {}, ['owner']),
  'GET /api/auth/merchants': reading('/api/auth/merchants', {}, ['owner']),
  'GET /api/auth/sessions': reading('/api/auth/sessions', {}, ['owner']),
  'DELETE /api/auth/sessions/{id}': about(
    '/api/auth/sessions/*',
    (t) => t.sessionIds[0] ?? '',
    ['owner'],
    'never',
  ),
  'POST /api/auth/merchant': {
    // Switching to a merchant in which the wallet has a role would replace the session.
    ...writing(['owner'], '/api/auth/merchant', 403, () => ({ merchantWallet: `0x${'33'.repeat(20)}` })),
    codes: { merchantWallet: { code: 'invalid_input', values: badWallets } },
  },
  'DELETE /api/auth/sessions': { as: ['owner'], target: () => '/api/auth/sessions', comesTo: 200 },
  'POST /api/auth/logout': { as: ['owner'], target: () => '/api/auth/logout', comesTo: 200 },
}
