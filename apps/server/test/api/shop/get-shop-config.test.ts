import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findMerchantBySlug } from '../../../src/shop/find-merchant-by-slug.ts'
import { logIn, logInAs } from '../../support/asking/log-in.ts'
import { addSplit } from '../../support/worlds/shop-api.ts'
import { startApi, type TestApi, type TestMerchant } from '../../support/worlds/start-api.ts'

let api: TestApi
let merchant: TestMerchant
let other: TestMerchant
let shopless: TestMerchant

const path = '/api/shop/config'
const shop = { name: 'Harbour Coffee', slug: 'harbour', xpPerDollar: 1.5 }

beforeAll(async () => {
  api = await startApi()
  merchant = await api.addMerchant()
  other = await api.addMerchant()
  shopless = await api.addMerchant()
  await api.call('POST', path, { session: await logIn(api, merchant), body: shop })
  await api.call('POST', path, { session: await logIn(api, other), body: { name: 'Other', slug: 'other' } })
})
afterAll(() => api.stop())

describe('200', () => {
  test('a key gets the shop of its own merchant, in exactly the fields of the contract', async () => {
    const answer = await api.call('GET', path, { key: merchant.key })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
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
    const answer = await api.call('GET', `${path}?slug=other`, { key: merchant.key, headers })
    expect(answer.body.config.slug).toBe('harbour')
  })

  test('anybody finds a shop by its slug, or by its wallet in any case', async () => {
    const wallets = [
      merchant.wallet,
      merchant.wallet.toLowerCase(),
      `0x${merchant.wallet.slice(2).toUpperCase()}`,
    ]
    for (const wallet of wallets) {
      const answer = await api.call('GET', path, { headers: { 'x-merchant-wallet': wallet } })
      expect([answer.status, answer.body.config.slug]).toEqual([200, 'harbour'])
    }
    const headers = { 'x-merchant-wallet': merchant.wallet }
    for (const options of [{}, { headers }]) {
      const answer = await api.call('GET', `${path}?slug=harbour`, options)
      expect([answer.status, answer.body.config.name]).toEqual([200, 'Harbour Coffee'])
    }
  })

  test('a member who may read gets the shop of the merchant', async () => {
    const session = await logInAs(api, merchant.wallet, 'viewer')
    const answer = await api.call('GET', `${path}?slug=other`, { session })
    expect([answer.status, answer.body.config.slug]).toEqual([200, 'harbour'])
  })

  test('the setup is complete once name, slug and split are set', async () => {
    const one = await api.addMerchant()
    const session = await logIn(api, one)
    const complete = async () =>
      (await api.call('GET', path, { key: one.key })).body.config.setupComplete as boolean
    await api.call('POST', path, { session, body: { slug: 'complete' } })
    await addSplit(api, one.wallet)
    expect(await complete()).toBe(false)
    await api.call('POST', path, { session, body: { name: '  ' } })
    expect(await complete()).toBe(false)
    await api.call('POST', path, { session, body: { name: 'Complete' } })
    expect(await complete()).toBe(true)
    await api.call('POST', path, { session, body: { slug: null } })
    expect(await complete()).toBe(false)
  })
})

describe('400', () => {
  test('slug and x-merchant-wallet must agree', async () => {
    const headers = { 'x-merchant-wallet': other.wallet }
    const answer = await api.call('GET', `${path}?slug=harbour`, { headers })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_input'])
  })

  test.each([
    '',
    'harbour',
    '0x12',
    '0xg000000000000000000000000000000000000000',
  ])('x-merchant-wallet must be a wallet, not "%s"', async (wallet) => {
    const answer = await api.call('GET', path, { headers: { 'x-merchant-wallet': wallet } })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_input'])
  })

  test('a slug is sent once', async () => {
    expect((await api.call('GET', `${path}?slug=harbour&slug=other`)).status).toBe(400)
  })
})

describe('401 and 403', () => {
  test('nobody without saying whose shop', async () => {
    const answer = await api.call('GET', path)
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  })

  test('a bad key is refused whatever else is sent', async () => {
    const answer = await api.call('GET', `${path}?slug=harbour`, { key: 'sk_test_wrong' })
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  })

  test('a key without shop:read', async () => {
    const { key } = await api.addMerchant({ scopes: ['receipts:read'] })
    const answer = await api.call('GET', path, { key })
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
  })
})

describe('404, never the defaults', () => {
  test('a key of a merchant without a shop', async () => {
    const answer = await api.call('GET', `${path}?slug=harbour`, { key: shopless.key })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ error: 'not_found', message: 'Shop not found' })
  })

  test('a wallet without a shop', async () => {
    const headers = { 'x-merchant-wallet': shopless.wallet }
    expect((await api.call('GET', path, { headers })).status).toBe(404)
  })

  test.each([
    'nobody',
    'HARBOUR',
    'ha',
    '..%2F',
    "'%20OR%201=1",
    'x'.repeat(500),
    '',
  ])('the slug "%s", which no shop has', async (slug) => {
    const answer = await api.call('GET', `${path}?slug=${slug}`)
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found'])
  })
})

test('other modules find the merchant of a slug', async () => {
  expect(await findMerchantBySlug(api.needs.db, 'harbour')).toBe(merchant.wallet)
  expect(await findMerchantBySlug(api.needs.db, 'nobody')).toBeUndefined()
})
