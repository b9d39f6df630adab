import type { Wallet } from '@sluice/protocol/wallet.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeSite } from '../../../src/site/change-site.ts'
import { getAs } from '../../support/asking/get-as.ts'
import { logIn } from '../../support/asking/log-in.ts'
import { newWallet } from '../../support/asking/new-wallet.ts'
import { postAs } from '../../support/asking/post-as.ts'
import { perFile } from '../../support/per-file.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'
import { startApi, type TestMerchant } from '../../support/worlds/start-api.ts'

const domain = 'pay.acme.example'
const account = newWallet()
const api = perFile(() =>
  startApi({
    operatorWallets: [account.wallet],
  }),
)
const merchant = perFile(() => api.addMerchant())
const operator = perFile(() => logIn(api, account))

beforeAll(async () => {
  await changeSite(api.needs, 'service', { processingFeeHundredths: 50n })
  await changeSite(api.needs, 'acme', {
    theme: { brandName: 'ACME Bank' },
    domains: [domain],
    processingFeeHundredths: 0n,
  })
})

const assign = (merchantWallet: Wallet, brandKey?: string, session = operator) =>
  api.call('POST', '/api/site/merchants', { session, body: { merchantWallet, brandKey } })

async function sell(seller: TestMerchant, id: string, host: string) {
  const body = { id, totalUsd: 100, lineItems: [{ label: 'Coffee', priceUsd: 100 }] }
  await postAs(api.url, host, { key: seller.key, body })
  const again = await api.call('POST', '/api/receipts', { key: seller.key, body })
  const detail = await api.call('GET', `/api/receipts/${id}`, { key: seller.key })
  return { ...detail.body, paymentUrl: again.body.paymentUrl as string }
}

describe('the brand of a merchant', () => {
  test('is the own brand unless the operator says otherwise, whatever Host a request names', async () => {
    const receipt = await sell(merchant, 'stranger', domain)
    expect([receipt.brandName, receipt.customerTotalUsd]).toEqual(['Sluice', 100.5])
    expect(receipt.paymentUrl).toMatch(/^https:\/\/pay\.example\.com\//)
  })

  test('decides name, fee and payment URL at every address; what was made before stays', async () => {
    const seller = await api.addMerchant()
    await sell(seller, 'before', domain)
    expect((await assign(seller.wallet, 'acme')).body).toEqual({
      ok: true,
      merchantWallet: seller.wallet,
      brandKey: 'acme',
    })
    const receipt = await sell(seller, 'after', 'pay.example.com')
    expect([receipt.brandName, receipt.customerTotalUsd]).toEqual(['ACME Bank', 100])
    expect(receipt.paymentUrl).toContain(`https://${domain}/`)
    expect((await sell(seller, 'before', domain)).brandName).toBe('Sluice')
    expect((await assign(seller.wallet)).body.brandKey).toBe('service')
    expect((await sell(seller, 'back', domain)).brandName).toBe('Sluice')
  })

  test('is the operator’s to choose, among brands there are and for merchants there are', async () => {
    const owner = await logIn(api, merchant)
    expect((await assign(merchant.wallet, 'acme', owner)).status).toBe(403)
    expect((await assign(merchant.wallet, 'nobody')).body).toMatchObject({
      error: 'invalid_input',
      issues: [{ path: 'brandKey' }],
    })
    expect((await assign(newWallet().wallet, 'acme')).status).toBe(404)
    expect((await assign('0x12' as Wallet, 'acme')).body.issues[0].path).toBe('merchantWallet')
  })

  test('is listed for the operator alone, page by page', async () => {
    const other = await api.addMerchant()
    await assign(other.wallet, 'acme')
    const found = new Map<string, string>()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const { body } = await api.call('GET', `/api/site/merchants?limit=1${query}`, { session: operator })
      for (const row of body.merchants) found.set(row.merchantWallet, row.brandKey)
      cursor = body.nextCursor
    }
    expect([found.get(merchant.wallet), found.get(other.wallet)]).toEqual(['service', 'acme'])
    const owner = await logIn(api, merchant)
    expect((await api.call('GET', '/api/site/merchants', { session: owner })).status).toBe(403)
    const bad = await api.call('GET', '/api/site/merchants?cursor=x', { session: operator })
    expect(bad.body.issues[0].path).toBe('cursor')
  })
})

describe('a receipt’s checkout', () => {
  let world: PaymentWorld
  beforeAll(async () => {
    world = await startPaymentWorld()
    for (const [key, domains] of [
      ['acme', [domain]],
      ['plain', []],
    ] as const)
      await changeSite(world.api.needs, key, { theme: { brandName: key }, domains })
  })
  afterAll(() => world.stop())

  test.each([
    ['service', { own: 200, acme: 404 }],
    ['acme', { own: 404, acme: 200 }],
    ['plain', { own: 200, acme: 404 }],
  ])('of the brand %s is found at its own addresses only', async (brandKey, expected) => {
    await world.api.database.pool.run(
      { name: 'test-set-brand', text: 'UPDATE merchant SET brand_key = $2 WHERE merchant = $1' },
      [world.merchant.wallet, brandKey],
    )
    await world.newReceipt(`shown-${brandKey}`, 5)
    const path = `/api/checkout/shown-${brandKey}?recipient=${world.merchant.wallet}`
    const asked = async (host: string) => (await getAs(world.api.url + path, host)).status
    expect({ own: await asked('pay.example.com'), acme: await asked(`${domain}:443`) }).toEqual(expected)
  })

  test.each(['cbBTC', 'USDT'] as const)('offers the brand’s own choice %s first', async (token) => {
    await changeSite(world.api.needs, 'acme', { defaultPaymentToken: token })
    await world.api.database.pool.run(
      { name: 'test-set-brand', text: 'UPDATE merchant SET brand_key = $2 WHERE merchant = $1' },
      [world.merchant.wallet, 'acme'],
    )
    await world.newReceipt(`first-${token}`, 5)
    const path = `/api/checkout/first-${token}?recipient=${world.merchant.wallet}`
    const { body } = await getAs(world.api.url + path, domain)
    expect(body.tokens[0].symbol).toBe(token)
    expect(body.tokens).toHaveLength(5)
  })
})
