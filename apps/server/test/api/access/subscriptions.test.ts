import { scopes } from '@sluice/protocol/api/access.ts'
import { describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { logIn, logInAs } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const edgeSecret = 'an edge secret that is long enough for the tests'
const gatewaySecret = 'a gateway secret that is long enough for the tests'
const proof = { 'x-edge-secret': edgeSecret, 'x-gateway-secret': gatewaySecret }
const api = perFile(startApi)
const replica = perFile(() => startApi({ beside: api }))
const gateway = perFile(() => startApi({ beside: api, edgeSecret, gatewaySecret, gateway: 'external' }))
const merchant = perFile(() => api.addMerchant())
const owner = perFile(() => logIn(api, merchant))
const stranger = perFile(async () => logIn(api, await api.addMerchant()))

const receipts = (key: string, at = api) => at.call('GET', '/api/receipts', { key })
const create = (body: unknown, session = owner) => api.call('POST', '/api/subscriptions', { session, body })
const list = async (session = owner) =>
  (await api.call('GET', '/api/subscriptions', { session })).body.subscriptions
const listed = async (id: string) => (await list()).find((each: { id: string }) => each.id === id)
const rotate = (id: string, slot: string, session = owner) =>
  api.call('POST', `/api/subscriptions/${id}/keys/${slot}/rotate`, { session })
const end = (id: string, session = owner) => api.call('DELETE', `/api/subscriptions/${id}`, { session })

describe('POST /api/subscriptions', () => {
  test('makes a subscription with two keys that work, of the test mode, with all scopes', async () => {
    const response = await create({ name: 'Shop' })
    expect(response.status).toBe(201)
    const { primaryKey, secondaryKey, subscription } = response.body
    expect(response.body.ok).toBe(true)
    const shown = { hint: expect.any(String), createdAt: api.clock.now(), madeBy: owner.wallet }
    expect(subscription).toEqual({
      id: expect.any(String),
      merchantWallet: merchant.wallet,
      name: 'Shop',
      scopes: [...scopes],
      mode: 'test',
      createdAt: api.clock.now(),
      lastUsedAt: null,
      revokedAt: null,
      keys: [
        { id: expect.any(String), slot: 'primary', ...shown },
        { id: expect.any(String), slot: 'secondary', ...shown },
      ],
    })
    for (const key of [primaryKey, secondaryKey]) {
      expect(key).toMatch(/^sk_test_[0-9A-Za-z]{49}$/)
      expect((await receipts(key)).status).toBe(200)
    }
    expect(primaryKey).not.toBe(secondaryKey)
  })

  test('a merchant has at most 50 that are active; revoking one makes room', async () => {
    const other = await logIn(api, await api.addMerchant())
    const made: string[] = []
    for (let i = (await list(other)).length; i < 50; i++)
      made.push((await create({ name: `${i}` }, other)).body.subscription.id)
    const beyond = await create({ name: 'one too many' }, other)
    expectApiError(beyond, 400, 'invalid_input')
    expect(beyond.body.issues).toEqual([{ path: '', message: expect.stringContaining('at most 50') }])
    await end(made[0] ?? '', other)
    expect((await create({ name: 'in its place' }, other)).status).toBe(201)
  })

  test('a subscription may do what its scopes say and nothing else', async () => {
    const { primaryKey } = (await create({ name: 'Reader', scopes: ['inventory:read'] })).body
    expectApiError(await receipts(primaryKey), 403, 'forbidden')
  })

  test('keys are shown once: no list, no log and no repeat shows them again', async () => {
    const headers = { 'idempotency-key': 'subscription-1' }
    const send = () =>
      api.call('POST', '/api/subscriptions', { session: owner, body: { name: 'Once' }, headers })
    const { primaryKey } = (await send()).body
    expectApiError(await send(), 409, 'idempotency_conflict')
    const subscriptions = await list()
    expect(subscriptions.filter((each: { name: string }) => each.name === 'Once')).toHaveLength(1)
    const audit = await api.call('GET', '/api/audit', { session: owner })
    expect(JSON.stringify(subscriptions) + audit.text).not.toContain(primaryKey)
    const everything = { name: 'test-all-idempotency', text: 'SELECT * FROM idempotency' }
    const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
    expect(JSON.stringify(await api.needs.db.rows(everything), plain)).not.toContain('sk_test_')
  })

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a scope nobody knows', { name: 'a', scopes: ['all'] }],
    ['no scope at all', { name: 'a', scopes: [] }],
    ['scopes that are a text', { name: 'a', scopes: 'receipts:read' }],
  ])('%s is 400', async (_name, body) => {
    expectApiError(await create(body), 400, 'invalid_input')
  })

  test.each(['admin', 'cashier', 'viewer'] as const)('%s may not: 403', async (role) => {
    const session = await logInAs(api, merchant.wallet, role)
    expect((await create({ name: 'a' }, session)).status).toBe(403)
    expect((await api.call('GET', '/api/subscriptions', { session })).status).toBe(403)
  })
})

describe('rotation', () => {
  test('the old key ends at once on every replica while the other goes on', async () => {
    const { subscription, primaryKey, secondaryKey } = (await create({ name: 'Rotated' })).body
    expect((await receipts(primaryKey, replica)).status).toBe(200)
    const response = await rotate(subscription.id, 'primary')
    expect([response.status, Object.keys(response.body)]).toEqual([200, ['ok', 'key']])
    expect((await receipts(primaryKey, replica)).status).toBe(401)
    expect((await receipts(response.body.key, replica)).status).toBe(200)
    expect((await receipts(secondaryKey, replica)).status).toBe(200)
  })

  test('ten rotations at once leave one key in the slot', async () => {
    const { subscription } = (await create({ name: 'Raced' })).body
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => rotate(subscription.id, 'secondary')),
    )
    const works = await Promise.all(responses.map(async ({ body }) => (await receipts(body.key)).status))
    expect(works.toSorted()).toEqual([200, ...Array(9).fill(401)])
    const found = await listed(subscription.id)
    expect(found.keys.map((key: { slot: string }) => key.slot)).toEqual(['primary', 'secondary'])
  })

  test('an unknown slot is 400; an unknown and another merchant’s subscription are 404', async () => {
    const { subscription, primaryKey } = (await create({ name: 'Mine' })).body
    expect((await rotate(subscription.id, 'third')).status).toBe(400)
    expect((await rotate('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'primary')).status).toBe(404)
    expectApiError(await rotate(subscription.id, 'primary', stranger), 404, 'not_found')
    expect((await receipts(primaryKey)).status).toBe(200)
  })
})

describe('DELETE /api/subscriptions/{id}', () => {
  test('ends both keys at once on every replica, and stays in the list', async () => {
    const { subscription, primaryKey, secondaryKey } = (await create({ name: 'Ended' })).body
    for (const key of [primaryKey, secondaryKey]) expect((await receipts(key, replica)).status).toBe(200)
    expect((await end(subscription.id)).body).toEqual({ ok: true })
    for (const key of [primaryKey, secondaryKey]) {
      expectApiError(await receipts(key, replica), 401, 'unauthorized')
    }
    const found = await listed(subscription.id)
    expect(found).toMatchObject({ revokedAt: api.clock.now(), keys: [] })
    expect((await end(subscription.id)).status).toBe(200)
    expect((await rotate(subscription.id, 'primary')).status).toBe(404)
  })

  test('another merchant’s answers as an unknown one', async () => {
    const { subscription, primaryKey } = (await create({ name: 'Kept' })).body
    const responses = [await end(subscription.id, stranger), await end('nothing', stranger)]
    expect(responses[0]?.text).toBe(responses[1]?.text)
    expect(responses[0]?.status).toBe(404)
    expect((await list(stranger)).map((each: { id: string }) => each.id)).not.toContain(subscription.id)
    expect((await receipts(primaryKey)).status).toBe(200)
  })
})

test('when a subscription was last used is known to the minute', async () => {
  const { subscription, primaryKey } = (await create({ name: 'Used' })).body
  await receipts(primaryKey)
  const used = async () => {
    await api.run(jobNames.writeLastUsed)
    return (await listed(subscription.id)).lastUsedAt
  }
  const first = api.clock.now()
  expect(await used()).toBe(first)
  await api.clock.advance(61_000)
  await receipts(primaryKey)
  expect(await used()).toBe(first + 61_000)
})

describe('GATEWAY=external', () => {
  const stamped = (id: string, headers: Record<string, string>, at = gateway) =>
    at.call('GET', '/api/receipts', { headers: { 'x-subscription-id': id, ...headers } })

  test('the gateway’s word counts with its own secret and that of the edge, and not without both', async () => {
    const id = merchant.subscriptionId
    expect((await stamped(id, proof)).status).toBe(200)
    expect((await stamped(id, {})).status).toBe(401)
    // A proxy that forwards client headers may know the edge secret, but is not a gateway.
    expect((await stamped(id, { 'x-edge-secret': edgeSecret })).status).toBe(401)
    expect((await stamped(id, { 'x-gateway-secret': gatewaySecret })).status).toBe(401)
    expect((await stamped(id, { ...proof, 'x-edge-secret': 'wrong' })).status).toBe(403)
    expect((await stamped(id, { ...proof, 'x-gateway-secret': edgeSecret })).status).toBe(403)
    expect((await stamped('unknown', proof)).status).toBe(401)
    expect((await stamped(id, proof, api)).status).toBe(401)
  })

  test('it cannot name a subscription that ended, nor pass another’s key on', async () => {
    const { subscription, primaryKey } = (await create({ name: 'Gated' }, await logIn(api, merchant))).body
    const headers = { ...proof, 'ocp-apim-subscription-key': primaryKey }
    expect((await stamped(subscription.id, headers)).status).toBe(200)
    expect((await stamped(merchant.subscriptionId, headers)).status).toBe(401)
    await end(subscription.id, await logIn(api, merchant))
    expect((await stamped(subscription.id, proof)).status).toBe(401)
  })

  test('a receipt is signed with the key the gateway passes on, else with the stored primary', async () => {
    const { secrets } = gateway.needs
    const text = 'SELECT key_id, encrypted_key FROM receipt WHERE merchant = $1 AND id = $2'
    const signing = { name: 'test-signing-key', text }
    for (const [id, key] of [
      ['gated-1', undefined],
      ['gated-2', 'a key of the outside gateway'],
    ] as const) {
      const response = await gateway.call('POST', '/api/receipts', {
        key,
        headers: { ...proof, 'x-subscription-id': merchant.subscriptionId },
        body: receiptBody(id),
      })
      expect(response.status).toBe(201)
      type Signed = { key_id: string; encrypted_key: string }
      const row = await gateway.needs.db.row<Signed>(signing, [merchant.wallet, id])
      const context = `api-key\n${merchant.wallet}\n${row?.key_id}`
      expect(secrets.open(row?.encrypted_key ?? '', context)).toBe(key ?? merchant.key)
    }
  })
})
