import { beforeAll, describe, expect, test } from 'vitest'
import { findMerchantBySlug } from '../../../src/shop/store.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { logIn, logInAs, type TestSession } from '../../support/api/sessions.ts'
import { addSplit } from '../../support/api/shop.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const other = perFile(() => api.addMerchant())
const shopless = perFile(() => api.addMerchant())

const path = '/api/shop/config'
const post = (session: TestSession, body: object) => api.call('POST', path, { session, body })
const byWallet = (wallet: string) => ({ headers: { 'x-merchant-wallet': wallet } })
const shop = { name: 'Harbour Coffee', slug: 'harbour', xpPerDollar: 1.5 }

beforeAll(async () => {
  await post(await logIn(api, merchant), shop)
  await post(await logIn(api, other), { name: 'Other', slug: 'other' })
})

describe('200', () => {
  test('a key gets the shop of its own merchant, in exactly the fields of the contract', async () => {
    const response = await api.call('GET', path, { key: merchant.key })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      config: {
        name: 'Harbour Coffee',
        description: '',
        bio: '',
        theme: {
          primaryColor: '#0b5d66',
          secondaryColor: '#eaf2f2',
          textColor: '#14222a',
          accentColor: '#0b5d66',
          brandLogoUrl: '',
          coverPhotoUrl: '',
          fontFamily: '',
          logoShape: 'square',
          heroFontSize: 'medium',
        },
        arrangement: 'grid',
        xpPerDollar: 1.5,
        slug: 'harbour',
        links: [],
        industryPack: null,
        industryPackActivatedAt: null,
        setupComplete: false,
        createdAt: api.clock.now(),
        updatedAt: api.clock.now(),
      },
    })
  })

  test('with a key neither slug, nor x-merchant-wallet, nor wallet headers change whose shop it is', async () => {
    const headers = { 'x-merchant-wallet': other.wallet, 'x-wallet': other.wallet, wallet: other.wallet }
    const response = await api.call('GET', `${path}?slug=other`, { key: merchant.key, headers })
    expect(response.body.config.slug).toBe('harbour')
  })

  test('anybody finds a shop by its slug, or by its wallet in any case', async () => {
    const { wallet } = merchant
    for (const written of [wallet, wallet.toLowerCase(), `0x${wallet.slice(2).toUpperCase()}`]) {
      const response = await api.call('GET', path, byWallet(written))
      expect([response.status, response.body.config.slug]).toEqual([200, 'harbour'])
    }
    for (const options of [{}, byWallet(wallet)]) {
      const response = await api.call('GET', `${path}?slug=harbour`, options)
      expect([response.status, response.body.config.name]).toEqual([200, 'Harbour Coffee'])
    }
  })

  test('a member who may read gets the shop of the merchant', async () => {
    const session = await logInAs(api, merchant.wallet, 'viewer')
    const response = await api.call('GET', `${path}?slug=other`, { session })
    expect([response.status, response.body.config.slug]).toEqual([200, 'harbour'])
  })

  test('the setup is complete once name, slug and split are set', async () => {
    const one = await api.addMerchant()
    const session = await logIn(api, one)
    const complete = async () => (await api.call('GET', path, { key: one.key })).body.config.setupComplete
    await post(session, { slug: 'complete' })
    await addSplit(api, one.wallet)
    expect(await complete()).toBe(false)
    await post(session, { name: '  ' })
    expect(await complete()).toBe(false)
    await post(session, { name: 'Complete' })
    expect(await complete()).toBe(true)
    await post(session, { slug: null })
    expect(await complete()).toBe(false)
  })
})

describe('400', () => {
  test('slug and x-merchant-wallet must agree', async () => {
    const response = await api.call('GET', `${path}?slug=harbour`, byWallet(other.wallet))
    expectApiError(response, 400, 'invalid_input')
  })

  const noWallets = ['', 'harbour', '0x12', '0xg000000000000000000000000000000000000000']
  test.each(noWallets)('x-merchant-wallet must be a wallet, not "%s"', async (wallet) => {
    expectApiError(await api.call('GET', path, byWallet(wallet)), 400, 'invalid_input')
  })

  test('a slug is sent once', async () => {
    expect((await api.call('GET', `${path}?slug=harbour&slug=other`)).status).toBe(400)
  })
})

describe('401 and 403', () => {
  test('nobody without saying whose shop', async () => {
    expectApiError(await api.call('GET', path), 401, 'unauthorized')
  })

  test('a bad key is refused whatever else is sent', async () => {
    const response = await api.call('GET', `${path}?slug=harbour`, { key: 'sk_test_wrong' })
    expectApiError(response, 401, 'unauthorized')
  })

  test('a key without shop:read', async () => {
    const { key } = await api.addMerchant({ scopes: ['receipts:read'] })
    expectApiError(await api.call('GET', path, { key }), 403, 'forbidden')
  })
})

describe('404, never the defaults', () => {
  test('a key of a merchant without a shop', async () => {
    const response = await api.call('GET', `${path}?slug=harbour`, { key: shopless.key })
    expect(response.status).toBe(404)
    expect(response.body).toEqual({ error: 'not_found', message: 'Shop not found' })
  })

  test('a wallet without a shop', async () => {
    expect((await api.call('GET', path, byWallet(shopless.wallet))).status).toBe(404)
  })

  const noSlugs = ['nobody', 'HARBOUR', 'ha', '..%2F', "'%20OR%201=1", 'x'.repeat(500), '']
  test.each(noSlugs)('the slug "%s", which no shop has', async (slug) => {
    expectApiError(await api.call('GET', `${path}?slug=${slug}`), 404, 'not_found')
  })
})

test('other modules find the merchant of a slug', async () => {
  expect(await findMerchantBySlug(api.needs.db, 'harbour')).toBe(merchant.wallet)
  expect(await findMerchantBySlug(api.needs.db, 'nobody')).toBeUndefined()
})
