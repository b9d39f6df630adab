import { describe, expect, test } from 'vitest'
import { deleteMember, upsertMember } from '../../../src/merchants/member-store.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { cookieOf, logIn, newWallet, type TestSession } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const minuteMs = 60_000
const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const other = perFile(() => api.addMerchant())

const who = (session: { cookie: string }) =>
  api.call('GET', '/api/auth/session', { headers: { cookie: session.cookie } })

describe('a wallet that is a member of several merchants', () => {
  const merchantOf = async (session: { cookie: string }) => (await who(session)).body.merchantWallet
  const listFor = (session: { cookie: string }) =>
    api.call('GET', '/api/auth/merchants', { headers: { cookie: session.cookie } })
  const switchTo = (session: TestSession, merchantWallet: string | null) =>
    api.call('POST', '/api/auth/merchant', { session, body: { merchantWallet } })
  const cashier = async () => {
    const session = await logIn(api, merchant)
    const at = { wallet: merchant.wallet, role: 'cashier', createdAt: api.clock.now() } as const
    await upsertMember(api.needs.db, other.wallet, at)
    return session
  }

  test('sees its own first, each with its name and role, and which one the session is for', async () => {
    const session = await cashier()
    const owner = { session, body: { name: 'Harbour Books' } }
    expect((await api.call('POST', '/api/shop/config', owner)).status).toBe(200)
    const { merchants } = (await listFor(session)).body
    expect(merchants).toEqual([
      { merchantWallet: merchant.wallet, shopName: 'Harbour Books', role: 'owner', isCurrent: true },
      { merchantWallet: other.wallet, shopName: null, role: 'cashier', isCurrent: false },
    ])
  })

  test('switches: the first session ends, the second has the role of there, and nothing of it is younger', async () => {
    const first = await cashier()
    await api.clock.advance(4 * minuteMs)
    const response = await switchTo(first, other.wallet)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ merchantWallet: other.wallet, role: 'cashier' })
    const second = { ...first, cookie: cookieOf(response), csrfToken: response.body.csrfToken }
    expectApiError(await who(first), 401, 'unauthorized')
    expectApiError(await api.call('GET', '/api/members', { session: second }), 403, 'forbidden')
    expect(await merchantOf(second)).toBe(other.wallet)
    const back = await switchTo(second, merchant.wallet)
    const third = { ...first, cookie: cookieOf(back), csrfToken: back.body.csrfToken }
    expect(back.body.expiresAt).toBe(response.body.expiresAt)
    await api.clock.advance(2 * minuteMs)
    const change = { session: third, body: { embedOrigins: ['https://shop.example'] } }
    expect((await api.call('POST', '/api/settings', change)).body.reason).toBe('reauthentication_required')
    const stale = { ...third, csrfToken: first.csrfToken }
    expectApiError(await switchTo(stale, other.wallet), 403, 'forbidden')
  })

  test('is refused a merchant that it is no member of, and the platform, and keeps its session', async () => {
    const session = await cashier()
    const stranger = await api.addMerchant()
    for (const wanted of [stranger.wallet, newWallet().wallet, null])
      expectApiError(await switchTo(session, wanted), 403, 'forbidden')
    expect(await merchantOf(session)).toBe(merchant.wallet)
    await deleteMember(api.needs.db, other.wallet, merchant.wallet)
    expectApiError(await switchTo(session, other.wallet), 403, 'forbidden')
  })

  test('leaves a line in the audit logs of both merchants', async () => {
    const session = await cashier()
    await switchTo(session, other.wallet)
    const last = async (at: typeof merchant, action: string) => {
      const owner = await logIn(api, at)
      return (await api.call('GET', `/api/audit?action=${action}&limit=2`, { session: owner })).body.entries
    }
    const actor = merchant.wallet
    expect(await last(merchant, 'session.ended')).toContainEqual(expect.objectContaining({ actor }))
    const began = await last(other, 'session.began')
    expect(began).toContainEqual(
      expect.objectContaining({ actor, details: expect.objectContaining({ role: 'cashier' }) }),
    )
  })

  test('of two switches at once one wins, and the other has no session left', async () => {
    const session = await cashier()
    const responses = await Promise.all([switchTo(session, other.wallet), switchTo(session, merchant.wallet)])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })
})
