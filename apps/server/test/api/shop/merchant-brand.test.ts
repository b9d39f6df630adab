import type { Wallet } from '@sluice/protocol/wallet.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { changeSite } from '../../../src/site/change-site.ts'
import { type ApiResponse, followPages } from '../../support/api/call-api.ts'
import { askAs } from '../../support/api/raw-requests.ts'
import { makeReceipt, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { logIn, newWallet, type TestSession } from '../../support/api/sessions.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const domain = 'pay.acme.example'
const account = newWallet()
const api = perFile(() => startApi({ operatorWallets: [account.wallet] }))
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
  const made = { key: seller.key, body: receiptBody(id, 100) }
  expect((await askAs(`${api.url}/api/receipts`, host, made)).status).toBe(201)
  const again = await makeReceipt(api, seller, made.body)
  return { ...(await readReceipt(api, seller, id)), paymentUrl: again.body.paymentUrl as string }
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
    const assigned = { ok: true, merchantWallet: seller.wallet, brandKey: 'acme' }
    expect((await assign(seller.wallet, 'acme')).body).toEqual(assigned)
    const receipt = await sell(seller, 'after', 'pay.example.com')
    expect([receipt.brandName, receipt.customerTotalUsd]).toEqual(['ACME Bank', 100])
    expect(receipt.paymentUrl).toContain(`https://${domain}/`)
    expect((await sell(seller, 'before', domain)).brandName).toBe('Sluice')
    expect((await assign(seller.wallet)).body.brandKey).toBe('service')
    expect((await sell(seller, 'back', domain)).brandName).toBe('Sluice')
  })

  test('is what a key or a session gets as its site configuration, at every address', async () => {
    const seller = await api.addMerchant({ scopes: ['split:read'] })
    const brandIn = ({ body }: { body: ApiResponse['body'] }) => [body.theme.brandName, body.processingFeePct]
    const config = async (by: { key?: string }, host = 'pay.example.com') =>
      brandIn(await askAs(`${api.url}/api/site/config`, host, by))
    const configOf = async (session: TestSession) =>
      brandIn(await api.call('GET', '/api/site/config', { session }))
    expect(await config({ key: seller.key }, domain)).toEqual(['Sluice', 0.5])
    await assign(seller.wallet, 'acme')
    expect(await config({ key: seller.key })).toEqual(['ACME Bank', 0])
    expect(await configOf(await logIn(api, seller))).toEqual(['ACME Bank', 0])
    expect(await config({ key: merchant.key }, domain)).toEqual(['Sluice', 0.5])
    expect(await configOf(operator)).toEqual(['Sluice', 0.5])
    for (const nobody of [{}, { key: 'sk_test_wrong' }]) {
      expect(await config(nobody)).toEqual(['Sluice', 0.5])
      expect(await config(nobody, domain)).toEqual(['ACME Bank', 0])
    }
  })

  test('is the operator’s to choose, among brands there are and for merchants there are', async () => {
    const owner = await logIn(api, merchant)
    expect((await assign(merchant.wallet, 'acme', owner)).status).toBe(403)
    const unknown = { error: 'invalid_input', issues: [{ path: 'brandKey' }] }
    expect((await assign(merchant.wallet, 'nobody')).body).toMatchObject(unknown)
    expect((await assign(newWallet().wallet, 'acme')).status).toBe(404)
    expect((await assign('0x12' as Wallet, 'acme')).body.issues[0].path).toBe('merchantWallet')
  })

  test('is listed for the operator alone, page by page', async () => {
    const other = await api.addMerchant()
    await assign(other.wallet, 'acme')
    const list = (query: string, session = operator) =>
      api.call('GET', `/api/site/merchants${query}`, { session })
    type Row = { merchantWallet: string; brandKey: string }
    const pages = await followPages((more) => list(`?limit=1${more}`))
    const rows: Row[] = pages.flatMap(({ merchants }) => merchants)
    const found = new Map(rows.map((row) => [row.merchantWallet, row.brandKey]))
    expect([found.get(merchant.wallet), found.get(other.wallet)]).toEqual(['service', 'acme'])
    expect((await list('', await logIn(api, merchant))).status).toBe(403)
    const bad = await list('?cursor=x')
    expect(bad.body.issues[0].path).toBe('cursor')
  })
})

describe('a receipt’s checkout', () => {
  const context = perFile(startPayments)
  beforeAll(async () => {
    for (const [key, domains] of [
      ['acme', [domain]],
      ['plain', []],
    ] as const)
      await changeSite(context.api.needs, key, { theme: { brandName: key }, domains })
  })
  const setBrand = (brandKey: string) => {
    const text = 'UPDATE merchant SET brand_key = $2 WHERE merchant = $1'
    return context.needs.db.run({ name: 'test-set-brand', text }, [context.merchant.wallet, brandKey])
  }

  test.each([
    ['service', { own: 200, acme: 404 }],
    ['acme', { own: 404, acme: 200 }],
    ['plain', { own: 200, acme: 404 }],
  ])('of the brand %s is found at its own addresses only', async (brandKey, expected) => {
    await setBrand(brandKey)
    await context.newReceipt(`shown-${brandKey}`, 5)
    const path = `/api/checkout/shown-${brandKey}?recipient=${context.merchant.wallet}`
    const asked = async (host: string) => (await askAs(context.api.url + path, host)).status
    expect({ own: await asked('pay.example.com'), acme: await asked(`${domain}:443`) }).toEqual(expected)
  })

  test.each(['cbBTC', 'USDT'] as const)('offers the brand’s own choice %s first', async (token) => {
    await changeSite(context.api.needs, 'acme', { defaultPaymentToken: token })
    await setBrand('acme')
    await context.newReceipt(`first-${token}`, 5)
    const path = `/api/checkout/first-${token}?recipient=${context.merchant.wallet}`
    const { body } = await askAs(context.api.url + path, domain)
    expect(body.tokens[0].symbol).toBe(token)
    expect(body.tokens).toHaveLength(5)
  })
})
