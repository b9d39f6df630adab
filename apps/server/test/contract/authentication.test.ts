import { type Scope, scopes } from '@sluice/protocol/api/access.ts'
import { beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { type MerchantApi, startMerchantApi } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const edgeSecret = 'an edge secret that is long enough for the tests'
const gatewaySecret = 'a gateway secret that is long enough for the tests'
const context = perFile(() => startMerchantApi({ edgeSecret }))
const gateway = perFile(() =>
  startMerchantApi({ beside: context, edgeSecret, gatewaySecret, gateway: 'external' }),
)
beforeAll(() => context.addSplit(context.merchant.wallet))

/** For each scope, a request that requires only this scope. */
const requests: Readonly<Record<Scope, readonly [string, string, object?]>> = {
  'inventory:read': ['GET', '/api/inventory'],
  'inventory:write': ['POST', '/api/inventory', { sku: 'tea', name: 'Tea', priceUsd: 3 }],
  'orders:create': ['POST', '/api/orders', { items: [{ sku: 'none', qty: 1 }], jurisdictionCode: 'US-OR' }],
  'receipts:read': ['GET', '/api/receipts'],
  'receipts:write': ['POST', '/api/receipts', receiptBody('scoped')],
  'shop:read': ['GET', '/api/shop/config'],
  'split:read': ['GET', '/api/split/deploy'],
}
async function isAsked(scope: Scope): Promise<void> {
  const [method, path, body] = requests[scope]
  const call = async (own: Scope[]) => {
    const { key } = await context.addMerchant({ name: 'Corner', scopes: own })
    return context.call(method, path, { key, body })
  }
  const without = await call(scopes.filter((each) => each !== scope))
  expectError(without, 403, 'forbidden')
  const withIt = await call([scope])
  expect([200, 201, 400, 403]).toContain(withIt.status)
  expect(withIt.body.error).not.toBe('forbidden')
}

row('get-healthz.answer', 'returns 200 with status ok, without authentication', async () => {
  const response = await context.call('GET', '/healthz')
  expect([response.status, response.body]).toEqual([200, { status: 'ok' }])
})

row(
  'auth.1.subscription-key',
  'is required on every developer route, but not for the health check',
  async () => {
    for (const [scope, [method, path, body]] of Object.entries(requests)) {
      expectError(await context.call(method, path, { body }), 401, 'unauthorized', scope)
      const keyed = await context.call(method, path, { key: context.merchant.key, body })
      expect(keyed.status, scope).not.toBe(401)
    }
    expect((await context.call('GET', '/healthz')).status).toBe(200)
  },
)

row('auth.1.x-api-key', 'is an alternative header; two different keys are rejected', async () => {
  const { key, secondaryKey } = context.merchant
  for (const [method, path, body] of Object.values(requests)) {
    const { status } = await context.call(method, path, { headers: { 'x-api-key': key }, body })
    expect(status, path).not.toBe(401)
  }
  const both = (other: string) =>
    context.call('GET', '/api/inventory', { key, headers: { 'x-api-key': other } })
  expect((await both(key)).status).toBe(200)
  expectError(await both(secondaryKey), 401, 'unauthorized')
})

row('auth.2.validates', 'rejects every unknown key', async () => {
  const { key } = context.merchant
  for (const wrong of ['', 'x', key.slice(0, -1), `${key}0`, key.toUpperCase(), `sk_test_${'a'.repeat(49)}`])
    expectError(await context.call('GET', '/api/receipts', { key: wrong }), 401, 'unauthorized', wrong)
})

row('auth.2.strips', 'ignores the headers x-wallet and wallet if a key is sent', async () => {
  const other = await context.addMerchant({ name: 'Corner' })
  const id = await context.newReceipt()
  for (const name of ['x-wallet', 'wallet']) {
    const headers = { [name]: other.wallet }
    expect((await context.get(`/api/receipts/${id}`, { headers })).status).toBe(200)
    const made = await context.post('/api/receipts', receiptBody(`by-${name}`), { headers })
    expect(made.body.paymentUrl).toContain(`recipient=${context.merchant.wallet}`)
  }
})

row('auth.2.resolves', 'derives the merchant from the subscription, with either of its keys', async () => {
  for (const key of [context.merchant.key, context.merchant.secondaryKey])
    expect((await context.get('/api/shop/config', { key })).body.config.name).toBe('Blue Door')
  const other = await context.addMerchant({ name: 'Corner' })
  expect((await context.get('/api/shop/config', { key: other.key })).body.config.name).toBe('Corner')
})

row('auth.2.x-subscription-id', 'is accepted from the gateway and ignored from a client', async () => {
  const stamp = { 'x-subscription-id': context.merchant.subscriptionId }
  const edge = { 'x-edge-secret': edgeSecret }
  const ask = (at: MerchantApi, headers: Record<string, string>) =>
    at.call('GET', '/api/receipts', { headers })
  const proof = { ...edge, 'x-gateway-secret': gatewaySecret }
  expect((await ask(gateway, { ...stamp, ...proof })).status).toBe(200)
  expectError(await ask(gateway, stamp), 401, 'unauthorized')
  expectError(await ask(gateway, { ...stamp, ...edge }), 401, 'unauthorized')
  expectError(await ask(context, { ...stamp, ...edge }), 401, 'unauthorized')
  const other = await context.addMerchant()
  const keyed = await context.get('/api/receipts', { key: other.key, headers: stamp })
  expect(keyed.body.receipts).toEqual([])
})

row('auth.2.reliance', 'returns 403 for a wallet header without a key', async () => {
  for (const name of ['x-wallet', 'wallet']) {
    const headers = { [name]: context.merchant.wallet }
    for (const path of ['/api/receipts', '/api/split/deploy'])
      expectError(await context.call('GET', path, { headers }), 403, 'forbidden', path)
    const sell = await context.call('POST', '/api/receipts/terminal', { headers, body: { amountUsd: 5 } })
    expectError(sell, 403, 'forbidden')
  }
})

row(
  'auth.3.x-edge-secret',
  'is accepted if correct, rejected if wrong, and does not replace a key',
  async () => {
    const ask = (secret: string, key?: string) =>
      context.call('GET', '/api/receipts', { key, headers: { 'x-edge-secret': secret } })
    expect((await ask(edgeSecret, context.merchant.key)).status).toBe(200)
    expectError(await ask('wrong', context.merchant.key), 403, 'forbidden')
    expectError(await ask(edgeSecret), 401, 'unauthorized')
  },
)

row('auth.4.inventory:read', 'is required to read inventory', () => isAsked('inventory:read'))
row('auth.4.inventory:write', 'is required to write inventory', () => isAsked('inventory:write'))
row('auth.4.orders:create', 'is required to create orders', () => isAsked('orders:create'))
row('auth.4.receipts:read', 'is required to read receipts', () => isAsked('receipts:read'))
row('auth.4.receipts:write', 'is required to create receipts', () => isAsked('receipts:write'))
row('auth.4.shop:read', 'is required to read the shop', () => isAsked('shop:read'))
row('auth.4.split:read', 'is required to read the split', () => isAsked('split:read'))

row('auth.4.standard', 'subscriptions have all seven scopes', async () => {
  const body = { name: 'Standard' }
  const { subscription, primaryKey } = (await context.postAsOwner('/api/subscriptions', body)).body
  expect(subscription.scopes).toEqual([...scopes])
  for (const [method, path, sent] of Object.values(requests)) {
    const response = await context.call(method, path, { key: primaryKey, body: sent })
    expect(response.body.error, path).not.toBe('forbidden')
  }
})

row(
  'auth.7.signing-key',
  'is stored with the receipt, encrypted, and is the key of the request',
  async () => {
    const { key, secondaryKey } = context.merchant
    const holders: (string | undefined)[] = []
    for (const sent of [key, secondaryKey]) {
      const id = `signed-${holders.length}`
      const at = holders.length === 0 ? context : gateway
      expect((await at.post('/api/receipts', receiptBody(id), { key: sent })).status).toBe(201)
      const stored = await context.needs.db.row<{ encrypted_key: string; key_id: string }>(findKey, [id])
      holders.push(stored?.key_id)
      expect(stored?.encrypted_key).not.toContain(sent)
    }
    expect(new Set(holders).size).toBe(2)
  },
)

row('auth.8.key', 'is revoked or rotated immediately, and its requests are logged', async () => {
  const { body } = await context.postAsOwner('/api/subscriptions', { name: 'Lost' })
  const { subscription, primaryKey, secondaryKey } = body
  const ask = async (key: string, at = context) => (await at.get('/api/receipts', { key })).status
  const path = `/api/subscriptions/${subscription.id}`
  const { key: fresh } = (await context.postAsOwner(`${path}/keys/primary/rotate`, undefined)).body
  expect([await ask(primaryKey), await ask(fresh), await ask(secondaryKey)]).toEqual([401, 200, 200])
  expect((await context.call('DELETE', path, { session: context.owner })).status).toBe(200)
  for (const key of [fresh, secondaryKey])
    for (const at of [context, gateway]) expect(await ask(key, at)).toBe(401)
  await context.needs.requests.flush()
  const log = await context.call('GET', `/api/requests?key=${subscription.id}`, { session: context.owner })
  expect(log.body.requests.length).toBeGreaterThanOrEqual(2)
  expect(log.body.requests[0]).toMatchObject({ method: 'GET', route: '/api/receipts', status: 200 })
})

row('auth.9.tenants', "cannot read each other's data: another merchant's objects return 404", async () => {
  const other = await context.addMerchant({ name: 'Corner' })
  const id = await context.newReceipt()
  const made = await context.post('/api/inventory', { sku: 'mine', name: 'Mine', priceUsd: 1 })
  const theirs = { key: other.key }
  const ofReceipt = [
    `receipts/${id}`,
    `receipts/status?receiptId=${id}`,
    `terminal/check-payment?receiptId=${id}`,
  ]
  for (const path of [...ofReceipt, `inventory/${made.body.item.id}`])
    expect((await context.get(`/api/${path}`, theirs)).status, path).toBe(404)
  for (const [path, list] of Object.entries({ receipts: 'receipts', inventory: 'items', orders: 'orders' }))
    expect((await context.get(`/api/${path}`, theirs)).body[list], path).toEqual([])
  // For another merchant, the same id is a different receipt.
  expect((await context.post('/api/receipts', receiptBody(id, 9), theirs)).status).toBe(201)
  expect((await context.detail(id)).totalUsd).toBe(3.5)
})

row('auth.6.public-wallet', 'is accepted in upper and lower case, by public reads only', async () => {
  const { wallet } = context.merchant
  for (const path of ['/api/inventory', '/api/shop/config'])
    for (const value of [wallet, wallet.toLowerCase()]) {
      const headers = { 'x-merchant-wallet': value }
      expect((await context.call('GET', path, { headers })).status, path).toBe(200)
    }
  const headers = { 'x-merchant-wallet': newWallet().wallet }
  const bad = { 'x-merchant-wallet': 'blue-door' }
  expectError(await context.call('GET', '/api/shop/config', { headers: bad }), 400, 'invalid_input')
  expectError(await context.call('GET', '/api/receipts', { headers }), 401, 'unauthorized')
  const change = await context.postAsOwner('/api/shop/config', { bio: 'ours' }, { headers })
  expect(change.status).toBe(200)
  expect((await context.get('/api/shop/config')).body.config.bio).toBe('ours')
})

const findKey = {
  name: 'test-find-signing-key',
  text: 'SELECT encrypted_key, key_id FROM receipt WHERE id = $1',
}
