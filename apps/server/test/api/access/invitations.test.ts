import type { Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, logInAs, newWallet, signChallenge } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const account = perFile(() => api.addMerchant())
const owner = perFile(() => logIn(api, account))
const stranger = perFile(async () => logIn(api, await api.addMerchant()))
const dayMs = 24 * 60 * 60_000

const at = '/api/members/invitations'
const list = async (session = owner) => (await api.call('GET', at, { session })).body.invitations
const look = (invitation: string) => api.call('POST', '/api/auth/invitation', { body: { invitation } })

async function invite(role: string, session = owner, expiresInDays?: number) {
  const response = await api.call('POST', at, { session, body: { role, expiresInDays } })
  expect(response.status).toBe(201)
  const [address, token = ''] = response.body.url.split('#')
  expect(address).toMatch(/\/app\/invite$/)
  return { id: response.body.invitation.id as string, token }
}

async function accept(token: string, wallet = newWallet()) {
  const login = await signChallenge(api, wallet)
  return api.call('POST', '/api/auth/login', { body: { ...login, invitation: token } })
}

const members = async (session = owner): Promise<{ wallet: Wallet; role: string }[]> =>
  (await api.call('GET', '/api/members', { session })).body.members

test('whoever signs in with the link becomes a member as invited, and is in for that merchant', async () => {
  const { id, token } = await invite('cashier')
  expect((await look(token)).body).toMatchObject({
    merchantWallet: owner.wallet,
    role: 'cashier',
    invitedBy: owner.wallet,
    state: 'open',
  })
  const wallet = newWallet()
  const response = await accept(token, wallet)
  expect(response.status).toBe(200)
  expect(response.body).toMatchObject({
    merchantWallet: owner.wallet,
    role: 'cashier',
    wallet: wallet.wallet,
  })
  expect(await members()).toContainEqual(expect.objectContaining({ wallet: wallet.wallet, role: 'cashier' }))
  expect((await list()).map((each: { id: string }) => each.id)).not.toContain(id)
  expect((await logIn(api, wallet, owner.wallet)).role).toBe('cashier')
})

test('an invitation makes one member: of two who come at once, one', async () => {
  const { token } = await invite('viewer')
  const before = (await members()).length
  const responses = await Promise.all([accept(token), accept(token)])
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403])
  expect(responses.find(({ status }) => status === 403)?.body.reason).toBe('invitation_used')
  expect(await members()).toHaveLength(before + 1)
  expect((await look(token)).body.state).toBe('used')
})

test('a withdrawn, an expired and an unknown one are refused, each with its reason, and nobody becomes a member', async () => {
  const before = (await members()).length
  const withdrawn = await invite('admin')
  expect((await api.call('DELETE', `${at}/${withdrawn.id}`, { session: owner })).status).toBe(200)
  expect((await api.call('DELETE', `${at}/${withdrawn.id}`, { session: owner })).status).toBe(404)
  const apiErrors = [[withdrawn.token, 'invitation_withdrawn']]
  const expired = await invite('admin', owner, 1)
  await api.clock.advance(dayMs)
  apiErrors.push([expired.token, 'invitation_expired'], ['inv_nobody', 'invitation_unknown'])
  for (const [token = '', reason] of apiErrors)
    expect((await accept(token)).body).toMatchObject({ error: 'forbidden', reason })
  expect((await look(withdrawn.token)).body.state).toBe('withdrawn')
  expect((await look(expired.token)).body.state).toBe('expired')
  expectApiError(await look('inv_nobody'), 404, 'not_found')
  expect(await members(await logIn(api, account))).toHaveLength(before)
})

test('a wallet that is a member keeps its role, and the invitation stays open for somebody else', async () => {
  const session = await logIn(api, account)
  const { token } = await invite('viewer', session)
  const response = await accept(token, account)
  expect(response.body).toMatchObject({ error: 'forbidden', reason: 'already_member' })
  expect(await members(session)).toContainEqual(
    expect.objectContaining({ wallet: owner.wallet, role: 'owner' }),
  )
  expect((await accept(token)).status).toBe(200)
})

describe('what an owner left open', () => {
  test.each(['removed', 'demoted'])('an owner who is %s leaves no invitation behind', async (fate) => {
    const session = await logIn(api, account)
    const other = await logInAs(api, session.wallet, 'owner')
    const { token } = await invite('owner', other)
    if (fate === 'removed') await api.call('DELETE', `/api/members?wallet=${other.wallet}`, { session })
    else await api.call('POST', '/api/members', { session, body: { wallet: other.wallet, role: 'viewer' } })
    expect((await look(token)).body.state).toBe('withdrawn')
    expect((await accept(token)).status).toBe(403)
  })
})

test('20 can be open, and one more is refused', async () => {
  const session = await logIn(api, await api.addMerchant())
  for (let i = 0; i < 20; i++) {
    // The limit is ten invitations per minute.
    if (i % 9 === 8) await api.clock.advance(60_000)
    await invite('viewer', session)
  }
  await api.clock.advance(60_000)
  const response = await api.call('POST', at, { session, body: { role: 'viewer' } })
  expectApiError(response, 400, 'invalid_input')
  expect(response.body.issues[0].message).toContain('20 invitations are already open')
  const [first] = await list(session)
  await api.call('DELETE', `${at}/${first.id}`, { session })
  await invite('viewer', session)
})

test('the token is nowhere in the database, and no list shows it', async () => {
  const session = await logIn(api, account)
  const { token } = await invite('viewer', session)
  const core = token.slice(4)
  expect(JSON.stringify(await list(session))).not.toContain(core)
  const rows = await api.needs.db.rows({
    name: 'test-all-of-invitations',
    text: `SELECT row_to_json(i)::text FROM invitation i UNION ALL SELECT row_to_json(h)::text FROM invitation_hash h
      UNION ALL SELECT details FROM audit_entry`,
    values: [],
  } as never)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(core)
})

test('making, using and withdrawing stand in the audit log', async () => {
  const session = await logIn(api, await api.addMerchant())
  const { token } = await invite('viewer', session)
  await accept(token)
  const { id } = await invite('viewer', session)
  await api.call('DELETE', `${at}/${id}`, { session })
  const { entries } = (await api.call('GET', '/api/audit', { session })).body
  const actions = entries.map(({ action }: { action: string }) => action)
  for (const action of ['invitation.created', 'invitation.withdrawn', 'member.joined'])
    expect(actions).toContain(action)
})

test.each(['admin', 'developer', 'cashier', 'viewer'] as const)('%s may not invite: 403', async (role) => {
  const session = await logInAs(api, account.wallet, role)
  expect((await api.call('POST', at, { session, body: { role: 'owner' } })).status).toBe(403)
  expect((await api.call('GET', at, { session })).status).toBe(403)
})

test('another merchant neither sees nor withdraws an invitation', async () => {
  const session = await logIn(api, account)
  const { id, token } = await invite('viewer', session)
  const other = await logIn(api, await api.addMerchant())
  expect(await list(other)).toEqual([])
  expect((await api.call('DELETE', `${at}/${id}`, { session: other })).status).toBe(404)
  expect((await look(token)).body.state).toBe('open')
  expect(stranger.wallet).not.toBe(owner.wallet)
})
