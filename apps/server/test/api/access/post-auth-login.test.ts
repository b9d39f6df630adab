import { hashTypedData, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { testBaseUrl } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { cookieOf, logIn, newWallet, signChallenge } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const operator = newWallet()
const api = perFile(() => startApi({ operatorWallets: [operator.wallet] }))
const invitedOnly = perFile(() => startApi({ beside: api, signups: 'invited' }))

const challenge = (address: string, headers = {}) =>
  api.call('POST', '/api/auth/challenge', { body: { address }, headers })
const login = (body: unknown, headers = {}) => api.call('POST', '/api/auth/login', { body, headers })

describe('POST /api/auth/challenge', () => {
  test('names wallet, host, purpose, chain, nonce and times, and no chain id in the domain', async () => {
    const { wallet } = newWallet()
    const response = await challenge(wallet.toLowerCase())
    expect(response.status).toBe(200)
    const { typedData, expiresAt } = response.body
    expect(typedData.domain).toEqual({ name: 'Sluice', version: '1' })
    expect(typedData.primaryType).toBe('Login')
    expect(typedData.types.Login).toEqual([
      { name: 'wallet', type: 'address' },
      { name: 'host', type: 'string' },
      { name: 'purpose', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
      { name: 'issuedAt', type: 'uint256' },
      { name: 'expiresAt', type: 'uint256' },
    ])
    expect(typedData.message).toEqual({
      wallet,
      host: 'pay.example.com',
      purpose: expect.stringContaining('Log in'),
      chainId: 31337,
      nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      issuedAt: api.clock.now(),
      expiresAt: api.clock.now() + 300_000,
    })
    expect(expiresAt).toBe(api.clock.now() + 300_000)
    expect(hashTypedData(typedData)).toMatch(/^0x/)
  })

  test.each([undefined, 7, null, '0x12', 'not a wallet'])('%s is no address: 400', async (address) => {
    expectApiError(await api.call('POST', '/api/auth/challenge', { body: { address } }), 400, 'invalid_input')
  })

  test('a page of another site gets none', async () => {
    const headers = { origin: 'https://evil.example.com' }
    expectApiError(await challenge(newWallet().wallet, headers), 403, 'forbidden')
  })
})

describe('POST /api/auth/login', () => {
  test('a wallet that signed gets a session in a cookie no script can read', async () => {
    const account = newWallet()
    const response = await login(await signChallenge(api, account))
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      ok: true,
      wallet: account.wallet,
      merchantWallet: account.wallet,
      role: 'owner',
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: api.clock.now() + 12 * 3_600_000,
    })
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^cb_auth_token=[\w-]+\.[\w-]+\.[\w-]+; /)
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Secure'])
      expect(cookie).toContain(`; ${part}`)
    expect(response.text).not.toContain(cookieOf(response).split('=')[1])
    const session = await api.call('GET', '/api/auth/session', { headers: { cookie: cookieOf(response) } })
    expect(session.body).toEqual(response.body)
  })

  test('the first login makes the wallet owner of its own merchant, and the next finds it', async () => {
    const account = newWallet()
    expect((await logIn(api, account)).role).toBe('owner')
    expect((await logIn(api, account)).role).toBe('owner')
  })

  test('a challenge is good once, also after a wrong signature', async () => {
    const account = newWallet()
    const good = await signChallenge(api, account)
    const wrong = { ...good, signature: (await signChallenge(api, account)).signature }
    // The recovered address differs, so the service asks the chain about a smart account. The chain is
    // unreachable.
    expect((await login(wrong)).status).toBe(503)
    expect((await login(good)).status).toBe(401)
    const other = await signChallenge(api, account)
    expect((await login(other)).status).toBe(200)
    expect((await login(other)).status).toBe(401)
  })

  test('of twenty logins with one challenge at once, one succeeds', async () => {
    const signed = await signChallenge(api, newWallet())
    const responses = await Promise.all(Array.from({ length: 20 }, () => login(signed)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(401)])
  })

  test('a challenge ends after five minutes', async () => {
    const account = newWallet()
    const late = await signChallenge(api, account)
    await api.clock.advance(300_000)
    expectApiError(await login(late), 401, 'unauthorized')
    const early = await signChallenge(api, account)
    await api.clock.advance(299_999)
    expect((await login(early)).status).toBe(200)
  })

  test("another wallet's challenge is refused even when it signed it", async () => {
    const mine = newWallet()
    const theirs = newWallet()
    const signed = await signChallenge(api, theirs)
    expect((await login({ ...signed, address: mine.wallet })).status).toBe(401)
  })

  test('a signature for another host, chain, time or purpose is good for nothing', async () => {
    const account = newWallet()
    for (const change of [
      { host: 'evil.example.com' },
      { chainId: 1 },
      { issuedAt: 1 },
      { expiresAt: 9_999_999_999_999 },
      { purpose: 'Pay' },
    ]) {
      const { typedData } = (await challenge(account.wallet)).body
      const message = { ...typedData.message, ...change }
      const signature = await privateKeyToAccount(account.privateKey).signTypedData({ ...typedData, message })
      const { nonce } = message
      const response = await login({ address: account.wallet, signature, nonce })
      expect(response.status, JSON.stringify(change)).toBe(503)
    }
  })

  test('a signature for another domain is good for nothing', async () => {
    const account = newWallet()
    const { typedData } = (await challenge(account.wallet)).body
    const domain = { ...typedData.domain, version: '2' }
    const signature = await privateKeyToAccount(account.privateKey).signTypedData({ ...typedData, domain })
    expect(await recoverTypedDataAddress({ ...typedData, domain, signature })).toBe(account.wallet)
    const { nonce } = typedData.message
    expect((await login({ address: account.wallet, signature, nonce })).status).not.toBe(200)
  })

  test('a page of another site logs nobody in', async () => {
    const signed = await signChallenge(api, newWallet())
    expectApiError(await login(signed, { origin: 'https://evil.example.com' }), 403, 'forbidden')
    expect((await login(signed, { origin: testBaseUrl })).status).toBe(200)
  })

  test.each([
    ['no signature', { signature: undefined }],
    ['a signature that is no hex', { signature: 'yes' }],
    ['half a byte', { signature: '0x123' }],
    ['no nonce', { nonce: undefined }],
    ['a nonce of another form', { nonce: '0x12' }],
    ['a merchant that is no wallet', { merchantWallet: 'me' }],
  ])('%s is 400 and leaves the challenge open', async (_name, change) => {
    const signed = await signChallenge(api, newWallet())
    expectApiError(await login({ ...signed, ...change }), 400, 'invalid_input')
    expect((await login(signed)).status).toBe(200)
  })

  test('the zero address cannot log in', async () => {
    const address = `0x${'0'.repeat(40)}`
    const { nonce } = (await challenge(address)).body.typedData.message
    expect((await login({ address, nonce, signature: `0x${'00'.repeat(65)}` })).status).toBe(401)
  })

  test('where the chain cannot be asked the answer is 503, neither yes nor no', async () => {
    const account = newWallet()
    const { nonce } = (await challenge(account.wallet)).body.typedData.message
    const signature = `0x${'12'.repeat(100)}`
    expectApiError(await login({ address: account.wallet, nonce, signature }), 503, 'chain_unavailable')
  })

  test('a login sent again with its Idempotency-Key is a conflict, never the cookie again', async () => {
    const account = newWallet()
    const signed = await signChallenge(api, account)
    const headers = { 'idempotency-key': 'login-1' }
    expect((await login(signed, headers)).status).toBe(200)
    const again = await login(signed, headers)
    expectApiError(again, 409, 'idempotency_conflict')
    expect(again.headers.get('set-cookie')).toBeNull()
  })

  test('a second login of the browser takes the place of its first', async () => {
    const account = newWallet()
    const first = await logIn(api, account)
    const signed = await signChallenge(api, account)
    expect((await login(signed, { cookie: first.cookie })).status).toBe(200)
    expect((await api.call('GET', '/api/auth/session', { session: first })).status).toBe(401)
  })
})

describe('who may log in', () => {
  test('where wallets are invited only, a stranger is refused and a member is not', async () => {
    const stranger = newWallet()
    const body = await signChallenge(invitedOnly, stranger)
    expectApiError(await invitedOnly.call('POST', '/api/auth/login', { body }), 403, 'forbidden')
    const merchant = await api.addMerchant()
    expect((await logIn(invitedOnly, merchant)).role).toBe('owner')
  })

  test("nobody logs in for a merchant he is no member of, and nobody's merchant is made by asking", async () => {
    const merchant = await api.addMerchant()
    const stranger = newWallet()
    for (const merchantWallet of [merchant.wallet, newWallet().wallet]) {
      const body = { ...(await signChallenge(api, stranger)), merchantWallet }
      expectApiError(await login(body), 403, 'forbidden')
    }
  })

  test('an operator logs in without a merchant, and a merchant’s route asks him for one', async () => {
    const session = await logIn(api, operator)
    expect(session.role).toBe('operator')
    const who = await api.call('GET', '/api/auth/session', { session })
    expect(who.body).toMatchObject({ role: 'operator', merchantWallet: null })
    for (const path of ['/api/members', '/api/subscriptions', '/api/settings']) {
      expectApiError(await api.call('GET', path, { session }), 400, 'wallet_required')
    }
  })
})
