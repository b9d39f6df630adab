import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, logInAs, newWallet } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const owner = perFile(() => logIn(api, merchant))
const stranger = perFile(async () => logIn(api, await api.addMerchant()))

const set = (wallet: unknown, role: unknown, session = owner) =>
  api.call('POST', '/api/members', { session, body: { wallet, role } })
const remove = (wallet: string, session = owner) =>
  api.call('DELETE', `/api/members?wallet=${wallet}`, { session })
const list = async (session = owner) => (await api.call('GET', '/api/members', { session })).body.members

test('a merchant begins with its own wallet as the owner', async () => {
  const { wallet } = stranger
  expect(await list(stranger)).toEqual([{ wallet, role: 'owner', createdAt: expect.any(Number) }])
})

describe('POST /api/members', () => {
  test('makes a member, who can log in for the merchant then', async () => {
    const account = newWallet()
    const response = await set(account.wallet.toLowerCase(), 'cashier')
    expect(response.status).toBe(201)
    const member = { wallet: account.wallet, role: 'cashier', createdAt: api.clock.now() }
    expect(response.body).toEqual({ ok: true, member })
    expect(await list()).toContainEqual(member)
    const session = await logIn(api, account, merchant.wallet)
    expect(session.role).toBe('cashier')
    expect((await logIn(api, account)).role).toBe('cashier')
  })

  test('gives a member another role: 200, and since when stays', async () => {
    const { wallet } = newWallet()
    await set(wallet, 'viewer')
    const response = await set(wallet, 'admin')
    expect([response.status, response.body.member.role]).toEqual([200, 'admin'])
    expect((await list()).filter((each: { wallet: string }) => each.wallet === wallet)).toHaveLength(1)
  })

  test.each([
    ['no wallet', undefined, 'viewer'],
    ['a wallet of another form', '0x12', 'viewer'],
    ['no role', `0x${'1'.repeat(40)}`, undefined],
    ['a role nobody has', `0x${'1'.repeat(40)}`, 'king'],
    ['the operator’s role', `0x${'1'.repeat(40)}`, 'operator'],
  ])('%s is 400', async (_name, wallet, role) => {
    expectApiError(await set(wallet, role), 400, 'invalid_input')
  })

  test.each(['admin', 'developer', 'cashier', 'viewer'] as const)('%s may not: 403', async (role) => {
    const session = await logInAs(api, merchant.wallet, role)
    expect((await set(session.wallet, 'owner', session)).status).toBe(403)
    expect((await remove(owner.wallet, session)).status).toBe(403)
  })
})

describe('DELETE /api/members', () => {
  test('takes a member out, named in the query or in the body', async () => {
    const [one, two] = [newWallet().wallet, newWallet().wallet]
    await set(one, 'viewer')
    await set(two, 'viewer')
    expect((await remove(one)).body).toEqual({ ok: true, revokedKeys: [], keptKeys: [] })
    const response = await api.call('DELETE', '/api/members', { session: owner, body: { wallet: two } })
    expect(response.body.ok).toBe(true)
    const wallets = (await list()).map((each: { wallet: string }) => each.wallet)
    expect(wallets).not.toContain(one)
    expect(wallets).not.toContain(two)
    expect((await remove(one)).status).toBe(404)
  })

  test('no wallet and two that differ are 400', async () => {
    const both = `/api/members?wallet=0x${'1'.repeat(40)}`
    const body = { wallet: `0x${'2'.repeat(40)}` }
    expect((await api.call('DELETE', '/api/members', { session: owner })).status).toBe(400)
    expect((await api.call('DELETE', both, { session: owner, body })).status).toBe(400)
  })

  test('another merchant’s member is not found, and stays', async () => {
    expect((await remove(owner.wallet, stranger)).status).toBe(404)
    expect((await list()).map((each: { wallet: string }) => each.wallet)).toContain(owner.wallet)
  })
})

test('the last owner stays one, also when two owners take each other out at once', async () => {
  const account = await api.addMerchant()
  const first = await logIn(api, account)
  expect((await remove(account.wallet, first)).status).toBe(400)
  expect((await set(account.wallet, 'viewer', first)).status).toBe(400)
  const second = await logInAs(api, account.wallet, 'owner')
  const responses = await Promise.all([remove(second.wallet, first), remove(first.wallet, second)])
  expect(responses.filter(({ status }) => status === 200).length).toBe(1)
  const left = await Promise.all([first, second].map(async (each) => (await list(each))?.length))
  expect(left.filter((count) => count === 1)).toHaveLength(1)
})
