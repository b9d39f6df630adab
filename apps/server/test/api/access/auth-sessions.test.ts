import { memberRoles } from '@sluice/protocol/api/access.ts'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { deleteMember, upsertMember } from '../../../src/merchants/member-store.ts'
import { testBaseUrl } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { cookieOf, logIn, logInAs, newWallet, type TestSession } from '../../support/api/sessions.ts'
import { startApi, testJwtSecret } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const minuteMs = 60_000
const api = perFile(startApi)
const replica = perFile(() => startApi({ beside: api }))
const merchant = perFile(() => api.addMerchant())
const other = perFile(() => api.addMerchant())

const who = (session: { cookie: string }, at = api) =>
  at.call('GET', '/api/auth/session', { headers: { cookie: session.cookie } })

describe('401', () => {
  test('without a session the message speaks of the JWT', async () => {
    for (const headers of [{}, { cookie: 'other=1' }, { cookie: 'cb_auth_token=' }]) {
      const response = await api.call('GET', '/api/auth/session', { headers })
      expectApiError(response, 401, 'unauthorized')
      expect(response.body.message).toMatch(/JWT authentication fail/)
    }
  })

  test('a token that we did not sign is refused', async () => {
    const { cookie } = await logIn(api, merchant)
    const [head, payload, signature] = cookie.split('=')[1]?.split('.') ?? []
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const foreign = await new SignJWT({ sid: 'x' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(merchant.wallet)
      .sign(new Uint8Array(32))
    const flipped = `${payload?.slice(0, -2)}${payload?.endsWith('A') ? 'BB' : 'AA'}`
    const cut = `${head}.${payload}.${signature?.slice(0, -2)}`
    for (const token of [`${head}.${flipped}.${signature}`, `${none}.${payload}.`, cut, foreign, 'x'])
      expect((await who({ cookie: `cb_auth_token=${token}` })).status).toBe(401)
  })

  test('a key does not reach a session’s route: 403; a bad key: 401; a wallet header: 403', async () => {
    expectApiError(await api.call('GET', '/api/members', { key: merchant.key }), 403, 'forbidden')
    const key = `${merchant.key.slice(0, -6)}000000`
    expectApiError(await api.call('GET', '/api/members', { key }), 401, 'unauthorized')
    const headers = { 'x-wallet': merchant.wallet }
    expectApiError(await api.call('GET', '/api/members', { headers }), 403, 'forbidden')
  })

  test('with key and session both, the session decides its routes and the key the developers’', async () => {
    const session = await logIn(api, other)
    const members = await api.call('GET', '/api/members', { key: merchant.key, session })
    expect(members.body.members[0].wallet).toBe(other.wallet)
    const headers = { cookie: 'cb_auth_token=x' }
    expect((await api.call('GET', '/api/receipts', { key: merchant.key, headers })).status).toBe(200)
  })
})

describe('in production', () => {
  const production = perFile(() => startApi({ beside: api, isProduction: true }))
  const inBrowser = { 'sec-fetch-site': 'same-origin' }
  const asked = async (cookie: string, headers = {}) => {
    const response = await production.call('GET', '/api/auth/session', { headers: { cookie, ...headers } })
    return response.status === 200 ? response.body.wallet : response.status
  }
  const plain = ({ cookie }: TestSession) => cookie.replace('__Host-', '')

  test('the cookie belongs to the host alone: no other host of the domain can set it in a browser', async () => {
    const session = await logIn(production, merchant)
    expect(session.cookie).toMatch(/^__Host-cb_auth_token=/)
    expect(await asked(session.cookie, inBrowser)).toBe(merchant.wallet)
    const planted = plain(await logIn(production, other))
    expect(await asked(planted, inBrowser)).toBe(401)
    for (const cookies of [`${planted}; ${session.cookie}`, `${session.cookie}; ${planted}`])
      for (const headers of [inBrowser, {}]) expect(await asked(cookies, headers)).toBe(merchant.wallet)
    const headers = { cookie: session.cookie, 'x-csrf-token': session.csrfToken, origin: testBaseUrl }
    const end = await production.call('POST', '/api/auth/logout', { headers, body: {} })
    const cleared = end.headers.get('set-cookie') ?? ''
    expect(cleared).toMatch(/^__Host-cb_auth_token=; Path=\/; Max-Age=0; .*; Secure$/)
    expect(cleared).not.toMatch(/domain/i)
  })

  test('a program sends it by either name', async () => {
    const session = await logIn(production, merchant)
    expect(await asked(session.cookie)).toBe(merchant.wallet)
    expect(await asked(plain(session))).toBe(merchant.wallet)
  })
})

describe('how long a session lasts', () => {
  test('it goes idle after thirty minutes without use', async () => {
    const session = await logIn(api, merchant)
    await api.clock.advance(29 * minuteMs)
    const used = await who(session)
    expect(used.status).toBe(200)
    const renewed = { cookie: cookieOf(used) }
    await api.clock.advance(30 * minuteMs)
    expectApiError(await who(renewed), 401, 'unauthorized')
  })

  test('it ends twelve hours after its login, however much it is used', async () => {
    let session: { cookie: string } = await logIn(api, merchant)
    for (let at = 20; at < 720; at += 20) {
      await api.clock.advance(20 * minuteMs)
      const response = await who(session)
      expect(response.status).toBe(200)
      session = { cookie: cookieOf(response) || session.cookie }
    }
    await api.clock.advance(20 * minuteMs)
    expect((await who(session)).status).toBe(401)
  })

  test('its token is renewed by use, and an old one is worth nothing once its fifteen minutes are over', async () => {
    const stolen = await logIn(api, merchant)
    expect(cookieOf(await who(stolen))).toBe('')
    await api.clock.advance(6 * minuteMs)
    const renewed = { cookie: cookieOf(await who(stolen)) }
    expect(renewed.cookie).not.toBe(stolen.cookie)
    expect((await who(stolen)).status).toBe(200)
    await api.clock.advance(9 * minuteMs)
    expect((await who(stolen)).status).toBe(401)
    expect((await who(renewed)).status).toBe(200)
  })

  test('requests that come together after a pause are all answered', async () => {
    const session = await logIn(api, merchant)
    await api.clock.advance(20 * minuteMs)
    const responses = await Promise.all(Array.from({ length: 8 }, () => who(session)))
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  test('a clock a day wrong, either way, lets nobody in and loses no session', async () => {
    const session = await logIn(api, merchant)
    const now = api.clock.now()
    for (const wrong of [now + 24 * 60 * minuteMs, now - 24 * 60 * minuteMs]) {
      api.clock.jumpTo(wrong)
      expect((await who(session)).status).toBe(401)
    }
    api.clock.jumpTo(now)
    expect((await who(session)).status).toBe(200)
  })
})

describe('a change of JWT_SECRET', () => {
  const secrets = { jwtSecret: 'the next one', oldJwtSecret: testJwtSecret }
  const next = perFile(() => startApi({ beside: api, ...secrets }))

  test('ends no session while the old one is given, and every token that is renewed needs it no more', async () => {
    const before = await logIn(api, merchant)
    expect((await who(before, next)).status).toBe(200)
    const body = { wallet: newWallet().wallet, role: 'viewer' }
    const written = await next.call('POST', '/api/members', { session: before, body })
    expect(written.status).toBeLessThan(300)

    await api.clock.advance(6 * minuteMs)
    const renewed = { cookie: cookieOf(await who(before, next)) }
    expect((await who(renewed, next)).status).toBe(200)
    // The process with only the old secret rejects sessions under the new one.
    expect((await who(renewed, api)).status).toBe(401)
    expect((await who(renewed, next)).body.csrfToken).not.toBe(before.csrfToken)
  })
})

describe('CSRF', () => {
  const end = (session: TestSession, headers: Record<string, string>) =>
    api.call('DELETE', '/api/auth/sessions', { headers: { cookie: session.cookie, ...headers } })

  test('a write needs the session’s own token and the origin of our pages', async () => {
    const session = await logIn(api, merchant)
    const foreign = await logIn(api, other)
    const origin = testBaseUrl
    const token = { 'x-csrf-token': session.csrfToken }
    for (const headers of [
      {},
      { origin },
      token,
      { origin: 'https://pay.example.com.evil.com', ...token },
      { origin: 'null', ...token },
      { origin: 'http://pay.example.com', ...token },
      { origin, 'x-csrf-token': foreign.csrfToken },
      { origin, 'x-csrf-token': `${session.csrfToken}x` },
      { origin, 'x-csrf-token': '' },
    ] as Record<string, string>[]) {
      expectApiError(await end(session, headers), 403, 'forbidden', JSON.stringify(headers))
    }
    expect((await end(session, { origin, ...token })).status).toBe(200)
  })

  test('the token stays the same while the session is renewed, and reading needs none', async () => {
    const session = await logIn(api, merchant)
    await api.clock.advance(6 * minuteMs)
    const response = await who(session)
    expect(response.body.csrfToken).toBe(session.csrfToken)
  })
})

describe('a login less than five minutes old', () => {
  test('is needed for sensitive writes, and said so', async () => {
    const session = await logIn(api, merchant)
    const write = () =>
      api.call('POST', '/api/members', { session, body: { wallet: newWallet().wallet, role: 'viewer' } })
    await api.clock.advance(5 * minuteMs - 1)
    expect((await write()).status).toBe(201)
    await api.clock.advance(1)
    const late = await write()
    expect(late.status).toBe(403)
    expect(late.body).toMatchObject({ error: 'forbidden', reason: 'reauthentication_required' })
  })
})

describe('roles', () => {
  const allowed: Record<string, readonly string[]> = {
    'GET /api/members': ['owner'],
    'GET /api/subscriptions': ['owner', 'developer'],
    'GET /api/audit': ['owner', 'admin'],
    'GET /api/requests': ['owner', 'admin', 'developer'],
    'GET /api/settings': ['owner', 'admin', 'developer', 'viewer'],
    'GET /api/auth/sessions': memberRoles,
  }
  test.each(memberRoles)('%s may do what the role allows and nothing else', async (role) => {
    const session = await logInAs(api, merchant.wallet, role)
    for (const [path, roles] of Object.entries(allowed)) {
      const response = await api.call('GET', path.split(' ')[1] ?? '', { session })
      expect([path, response.status]).toEqual([path, roles.includes(role) ? 200 : 403])
    }
  })

  test('a new role holds at once, and a member who is taken out is logged out at once', async () => {
    const session = await logInAs(api, merchant.wallet, 'viewer')
    const { wallet } = session
    const members = () => api.call('GET', '/api/members', { session })
    expect((await members()).status).toBe(403)
    await upsertMember(api.needs.db, merchant.wallet, { wallet, role: 'owner', createdAt: api.clock.now() })
    expect((await members()).status).toBe(200)
    await deleteMember(api.needs.db, merchant.wallet, wallet)
    expect((await members()).status).toBe(401)
    expect((await who(session, replica)).status).toBe(401)
  })
})

describe('seeing and ending sessions', () => {
  test('logout ends the session on every replica and takes the cookie away', async () => {
    const session = await logIn(api, merchant)
    expect((await who(session, replica)).status).toBe(200)
    const response = await api.call('POST', '/api/auth/logout', { session })
    expect([response.status, response.body]).toEqual([200, { ok: true }])
    expect(response.headers.get('set-cookie')).toMatch(/^cb_auth_token=; .*Max-Age=0/)
    expect((await who(session, replica)).status).toBe(401)
  })

  test('one sees one’s own sessions with what tells them apart, and no token', async () => {
    const account = newWallet()
    const first = await logIn(api, account)
    await api.clock.advance(1_000)
    await logIn(api, account)
    const { body, text } = await api.call('GET', '/api/auth/sessions', { session: first })
    expect(body.sessions.map((each: { isCurrent: boolean }) => each.isCurrent)).toEqual([false, true])
    expect(body.sessions[1]).toEqual({
      id: expect.any(String),
      wallet: account.wallet,
      merchantWallet: account.wallet,
      createdAt: expect.any(Number),
      lastSeenAt: expect.any(Number),
      expiresAt: expect.any(Number),
      address: '127.0.0.1',
      userAgent: expect.any(String),
      isCurrent: true,
    })
    expect(text).not.toContain(first.cookie.slice(20, 60))
  })

  test('ending the others leaves the one in use', async () => {
    const account = newWallet()
    const sessions: TestSession[] = []
    for (let i = 0; i < 3; i++) sessions.push(await logIn(api, account))
    const response = await api.call('DELETE', '/api/auth/sessions', { session: sessions[1] })
    expect(response.body).toEqual({ ok: true, ended: 2 })
    const statuses = await Promise.all(sessions.map(async (each) => (await who(each, replica)).status))
    expect(statuses).toEqual([401, 200, 401])
  })

  test('an owner ends a member’s session; a member and another merchant cannot: 404', async () => {
    const owner = await logIn(api, merchant)
    const cashier = await logInAs(api, merchant.wallet, 'cashier')
    const viewer = await logInAs(api, merchant.wallet, 'viewer')
    const stranger = await logIn(api, other)
    const list = (await api.call('GET', '/api/auth/sessions', { session: owner })).body.sessions
    const { id } = list.find((each: { wallet: string }) => each.wallet === cashier.wallet)
    for (const session of [viewer, stranger]) {
      const seen = (await api.call('GET', '/api/auth/sessions', { session })).body.sessions
      expect(seen.map((each: { id: string }) => each.id)).not.toContain(id)
      expect((await api.call('DELETE', `/api/auth/sessions/${id}`, { session })).status).toBe(404)
    }
    expect((await who(cashier)).status).toBe(200)
    expect((await api.call('DELETE', `/api/auth/sessions/${id}`, { session: owner })).status).toBe(200)
    expect((await who(cashier, replica)).status).toBe(401)
  })
})
