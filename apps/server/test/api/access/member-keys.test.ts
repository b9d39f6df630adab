import { type MemberRole, scopes } from '@sluice/protocol/api/access.ts'
import { describe, expect, test } from 'vitest'
import { createSubscription } from '../../../src/access/keys/create-subscription.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { logIn, logInAs, type TestSession } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const reading = ['inventory:read', 'receipts:read', 'shop:read', 'split:read']
const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const owner = perFile(() => logIn(api, merchant))

const create = (session: TestSession, wanted?: readonly string[]) =>
  api.call('POST', '/api/subscriptions', { session, body: { name: 'Shop', scopes: wanted } })
const newDeveloper = () => logInAs(api, merchant.wallet, 'developer')
const rotate = (session: TestSession, id: string, slot = 'secondary') =>
  api.call('POST', `/api/subscriptions/${id}/keys/${slot}/rotate`, { session })
const setRole = (wallet: string, role: MemberRole, keepSubscriptions?: string[]) =>
  api.call('POST', '/api/members', { session: owner, body: { wallet, role, keepSubscriptions } })
const remove = (wallet: string, keepSubscriptions?: string[]) =>
  api.call('DELETE', '/api/members', { session: owner, body: { wallet, keepSubscriptions } })
const opens = async (key: string) => (await api.call('GET', '/api/receipts', { key })).status
const listed = async (id: string) => {
  const { body } = await api.call('GET', '/api/subscriptions', { session: owner })
  return body.subscriptions.find((each: { id: string }) => each.id === id)
}

describe('a key has no scope that its maker’s role has not', () => {
  test('a developer is refused more than reading, and gets reading where nothing is named', async () => {
    const developer = await newDeveloper()
    for (const wanted of [scopes, ['receipts:write'], [...reading, 'orders:create']]) {
      expectApiError(await create(developer, wanted), 403, 'forbidden')
    }
    const unnamed = await create(developer)
    expect([unnamed.status, unnamed.body.subscription.scopes]).toEqual([201, reading])
    expect((await create(developer, ['split:read'])).body.subscription.scopes).toEqual(['split:read'])
    const write = { key: unnamed.body.primaryKey, body: receiptBody('x') }
    expect((await api.call('POST', '/api/receipts', write)).status).toBe(403)
  })

  test('an owner makes the standard product with all seven', async () => {
    expect((await create(owner)).body.subscription.scopes).toEqual([...scopes])
  })

  test('nor does a rotation give a developer a key of a subscription that may more', async () => {
    const developer = await newDeveloper()
    const wide = (await create(owner)).body
    expectApiError(await rotate(developer, wide.subscription.id), 403, 'forbidden')
    expect(await opens(wide.secondaryKey)).toBe(200)
    const narrow = (await create(owner, ['receipts:read'])).body
    expect((await rotate(developer, narrow.subscription.id)).status).toBe(200)
  })
})

describe('a member who is removed', () => {
  test('loses the keys it made, which are listed; a subscription without any has ended', async () => {
    const developer = await newDeveloper()
    const { subscription, primaryKey, secondaryKey } = (await create(developer, ['receipts:read'])).body
    expect(await opens(primaryKey)).toBe(200)
    const response = await remove(developer.wallet)
    expect(response.body).toEqual({
      ok: true,
      revokedKeys: ['primary', 'secondary'].map((slot) => ({
        id: expect.any(String),
        slot,
        hint: expect.stringContaining('sk_test_'),
        subscriptionId: subscription.id,
        subscriptionName: 'Shop',
        scopes: ['receipts:read'],
      })),
      keptKeys: [],
    })
    expect([await opens(primaryKey), await opens(secondaryKey)]).toEqual([401, 401])
    expect((await listed(subscription.id)).revokedAt).toBe(api.clock.now())
    const { entries } = (await api.call('GET', '/api/audit?limit=1', { session: owner })).body
    expect(entries[0]).toMatchObject({ action: 'member.removed', subject: developer.wallet })
    expect(entries[0].details.revokedKeys).toHaveLength(2)
  })

  test('loses the one key it rotated of somebody else’s subscription, and no other', async () => {
    const developer = await newDeveloper()
    const { subscription, primaryKey } = (await create(owner, ['receipts:read'])).body
    const { key } = (await rotate(developer, subscription.id)).body
    expect((await remove(developer.wallet)).body.revokedKeys).toMatchObject([{ slot: 'secondary' }])
    expect([await opens(primaryKey), await opens(key)]).toEqual([200, 401])
    expect((await rotate(owner, subscription.id)).status).toBe(200)
  })

  test('leaves keys that are kept by name, for which whoever kept them answers', async () => {
    const developer = await newDeveloper()
    const [kept, lost] = [(await create(developer)).body, (await create(developer)).body]
    const { id } = kept.subscription
    const response = await remove(developer.wallet, [id])
    const keptOf = response.body.keptKeys.map((key: { subscriptionId: string }) => key.subscriptionId)
    expect(keptOf).toEqual([id, id])
    expect([await opens(kept.primaryKey), await opens(lost.primaryKey)]).toEqual([200, 401])
    const makers = (await listed(id)).keys.map((key: { madeBy: string }) => key.madeBy)
    expect(makers).toEqual([owner.wallet, owner.wallet])
  })

  test('is not removed where what is to be kept is none of its keys: nothing is revoked', async () => {
    const developer = await newDeveloper()
    const { primaryKey } = (await create(developer)).body
    const response = await remove(developer.wallet, [(await create(owner)).body.subscription.id])
    expect([response.status, response.body.issues[0].path]).toEqual([400, 'keepSubscriptions/0'])
    expect(await opens(primaryKey)).toBe(200)
  })

  test('leaves keys alone that were made at the service’s own machine', async () => {
    const byHand = { name: 'By hand', mode: 'test' } as const
    const made = await createSubscription({ ...api.needs, random: systemRandom }, merchant.wallet, byHand)
    expect((await listed(made.id)).keys[0].madeBy).toBeNull()
    const developer = await newDeveloper()
    expect((await remove(developer.wallet)).body.revokedKeys).toEqual([])
    expect(await opens(made.primaryKey)).toBe(200)
  })

  test('makes no key on the way out', async () => {
    const developer = await newDeveloper()
    const making = create(developer, ['receipts:read'])
    const [made, removed] = await Promise.all([making, remove(developer.wallet)])
    expect(removed.status).toBe(200)
    expect([201, 401, 403]).toContain(made.status)
    if (made.status === 201) expect(await opens(made.body.primaryKey)).toBe(401)
  })
})

test('a member whose role is lowered loses the keys that have more scopes than it has now', async () => {
  const second = await logInAs(api, merchant.wallet, 'owner')
  const [wide, narrow] = [(await create(second)).body, (await create(second, ['receipts:read'])).body]
  const response = await setRole(second.wallet, 'viewer')
  expect(response.body.revokedKeys).toMatchObject([{ slot: 'primary' }, { slot: 'secondary' }])
  expect([await opens(wide.primaryKey), await opens(narrow.primaryKey)]).toEqual([401, 200])
  expect((await setRole(second.wallet, 'cashier', [narrow.subscription.id])).body.keptKeys).toHaveLength(2)
  expect(await opens(narrow.primaryKey)).toBe(200)
})
