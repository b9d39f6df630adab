import { beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { logIn, logInAs, newWallet, signChallenge } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
beforeAll(() => context.addSplit(context.merchant.wallet))

row('auth.4.roles', 'determine what a session can do, without a key', async () => {
  const { wallet } = context.merchant
  const read = { method: 'GET', path: '/api/receipts' }
  const write = { method: 'POST', path: '/api/inventory', body: { sku: 'tea', name: 'Tea', priceUsd: 3 } }
  for (const [role, statuses] of [
    ['owner', [200, 201]],
    ['admin', [200, 200]],
    ['viewer', [200, 403]],
  ] as const) {
    const session = await logInAs(context, wallet, role)
    const seen = []
    for (const { method, path, ...rest } of [read, write])
      seen.push((await context.call(method, path, { session, ...rest })).status)
    expect(seen, role).toEqual(statuses)
  }
})

row('auth.5.login', 'sets the cookie for a signed challenge, which is valid once', async () => {
  const account = newWallet()
  const login = await signChallenge(context, account)
  const response = await context.call('POST', '/api/auth/login', { body: login })
  expect(response.status).toBe(200)
  expect(response.body).toEqual({
    ok: true,
    wallet: account.wallet,
    merchantWallet: account.wallet,
    role: 'owner',
    csrfToken: expect.any(String),
    expiresAt: context.clock.now() + 12 * 3_600_000,
  })
  const cookie = response.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^cb_auth_token=[\w-]+\.[\w-]+\.[\w-]+; Path=\//)
  for (const flag of ['HttpOnly', 'SameSite=Strict', 'Secure']) expect(cookie).toContain(flag)
  expectError(await context.call('POST', '/api/auth/login', { body: login }), 401, 'unauthorized')
  const other = await signChallenge(context, newWallet())
  const forged = { ...other, address: account.wallet }
  expectError(await context.call('POST', '/api/auth/login', { body: forged }), 401, 'unauthorized')
})

row(
  'auth.5.csrf',
  'every write by a session requires its CSRF token and an allowed origin; reads require neither',
  async () => {
    const { owner } = context
    const write = (session: typeof owner, headers = {}) =>
      context.call('POST', '/api/shop/config', { session, body: { bio: 'x' }, headers })
    expect((await write(owner)).status).toBe(200)
    const other = await context.logInOwner()
    for (const csrfToken of ['', 'x', other.csrfToken])
      expectError(await write({ ...owner, csrfToken }), 403, 'forbidden')
    for (const origin of ['https://evil.example.com', 'null', 'http://pay.example.com'])
      expectError(await write(owner, { origin }), 403, 'forbidden', origin)
    const headers = { cookie: owner.cookie }
    expect((await context.call('GET', '/api/receipts', { headers })).status).toBe(200)
    const bare = await context.call('POST', '/api/inventory', {
      headers,
      body: { sku: 'a', name: 'A', priceUsd: 1 },
    })
    expectError(bare, 403, 'forbidden')
  },
)

row('auth.5.roles', 'determine who can sell, refund and change the shop', async () => {
  const { wallet } = context.merchant
  const sell = ['/api/receipts/terminal', { amountUsd: 5 }] as const
  const change = ['/api/shop/config', { bio: 'x' }] as const
  const refund = ['/api/receipts/refund', { receiptId: 'x', wallet, buyer: wallet, usd: 1 }] as const
  for (const [role, statuses] of [
    ['owner', [200, 200, 404]],
    ['admin', [200, 200, 404]],
    ['developer', [403, 403, 403]],
    ['cashier', [200, 403, 403]],
    ['viewer', [403, 403, 403]],
  ] as const) {
    const session = await logInAs(context, wallet, role)
    const seen = []
    for (const [path, body] of [sell, change, refund])
      seen.push((await context.call('POST', path, { session, body })).status)
    expect(seen, role).toEqual(statuses)
  }
})

row('auth.8.session', 'ends immediately, and the audit log records it', async () => {
  const account = newWallet()
  const lost = await logIn(context, account)
  const mine = await logIn(context, account)
  const end = await context.call('DELETE', '/api/auth/sessions', { session: mine })
  expect(end.status).toBe(200)
  const response = await context.call('GET', '/api/receipts', { session: lost })
  expectError(response, 401, 'unauthorized')
  const again = await logIn(context, account)
  const { entries } = (await context.call('GET', '/api/audit', { session: again })).body
  expect(entries.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['session.began', 'session.ended']),
  )
})
