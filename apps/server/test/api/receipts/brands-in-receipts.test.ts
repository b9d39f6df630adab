import { beforeAll, describe, expect, test } from 'vitest'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { assignBrand, changeSite } from '../../../src/site/change-site.ts'
import { askAs } from '../../support/api/raw-requests.ts'
import { makeReceipt, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { logIn } from '../../support/api/sessions.ts'
import { addSplit, startShop } from '../../support/api/shop.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())

const domain = 'pay.acme.example'

beforeAll(async () => {
  await changeSite(api.needs, 'service', { processingFeeHundredths: 50n })
  await changeSite(api.needs, 'acme', {
    theme: { brandName: 'Acme' },
    domains: [domain],
    processingFeeHundredths: 333n,
    defaultPaymentToken: 'cbXRP',
  })
})

const get = (id: string) => readReceipt(api, merchant, id)
const create = (id: string, totalUsd: number, more: object = {}, host?: string) =>
  askAs(`${api.url}/api/receipts`, host, { key: merchant.key, body: receiptBody(id, totalUsd, more) })

describe('the processing fee', () => {
  test.each([
    [100, 100.5],
    [0.99, 0.99],
    [1, 1.01],
    [68.3, 68.64],
  ])('of half a percent on %d makes %d, half away from zero, apart from the total', async (totalUsd, customerTotalUsd) => {
    const { id } = (await create(`fee-${totalUsd}`, totalUsd)).body
    const detail = await get(id)
    expect([detail.totalUsd, detail.customerTotalUsd]).toEqual([totalUsd, customerTotalUsd])
    expect(detail.lineItems).toHaveLength(1)
  })

  test('is fixed when the receipt is made, for native receipts too', async () => {
    const body = { id: 'fixed', lineItems: [{ label: 'Coffee', amount: 200 }], currency: 'USD' }
    await api.call('POST', '/api/receipts', { key: merchant.key, body })
    await changeSite(api.needs, 'service', { processingFeeHundredths: 1000n })
    expect((await get('fixed')).customerTotalUsd).toBe(201)
    expect((await create('later', 200)).status).toBe(201)
    expect((await get('later')).customerTotalUsd).toBe(220)
    await changeSite(api.needs, 'service', { processingFeeHundredths: 50n })
  })

  test('of an edited receipt is charged at the rate it was made with, also where it came to nothing', async () => {
    await create('edited', 0.5)
    expect((await get('edited')).customerTotalUsd).toBe(0.5)
    const session = await logIn(api, merchant)
    const body = { lineItems: [{ label: 'Coffee', priceUsd: 1000 }] }
    const response = await api.call('PATCH', '/api/receipts/edited', { session, body })
    expect([response.status, response.body.receipt?.customerTotalUsd]).toEqual([200, 1005])
  })

  test('is charged at the counter as well', async () => {
    await addSplit(api, merchant.wallet)
    const session = await logIn(api, merchant)
    const response = await api.call('POST', '/api/receipts/terminal', { session, body: { amountUsd: 10 } })
    expect(response.status).toBe(200)
    expect(response.body.receipt).toMatchObject({ totalUsd: 10, customerTotalUsd: 10.05 })
    expect((await get(response.body.receipt.receiptId)).customerTotalUsd).toBe(10.05)
    expect(response.body.paymentUrl).toMatch(/^https:\/\/pay\.example\.com\/pay\/R-/)
  })
})

describe('the brand of a receipt', () => {
  test('is that of its merchant: name, fee and payment URL', async () => {
    await assignBrand(api.needs, merchant.wallet, 'acme')
    const response = await create('branded', 100)
    expect(response.body.paymentUrl).toBe(`https://${domain}/portal/branded?recipient=${merchant.wallet}`)
    await assignBrand(api.needs, merchant.wallet, 'service')
    const detail = await get('branded')
    expect([detail.brandName, detail.customerTotalUsd]).toEqual(['Acme', 103.33])
  })

  test('a Host that nobody configured gets into no URL', async () => {
    const response = await create('forged', 1, {}, 'evil.example')
    expect(response.body.paymentUrl).toBe(
      `https://pay.example.com/portal/forged?recipient=${merchant.wallet}`,
    )
  })

  test('stays when the same receipt is posted again under another', async () => {
    await assignBrand(api.needs, merchant.wallet, 'acme')
    const first = await create('again', 5)
    await assignBrand(api.needs, merchant.wallet, 'service')
    expect((await create('again', 5)).body).toEqual(first.body)
    expect((await get('again')).brandName).toBe('Acme')
  })

  test('changes with everything else when another content replaces it', async () => {
    await assignBrand(api.needs, merchant.wallet, 'acme')
    await create('replaced', 100)
    await assignBrand(api.needs, merchant.wallet, 'service')
    const response = await create('replaced', 200)
    expect(response.body.paymentUrl).toContain('https://pay.example.com/')
    expect(await get('replaced')).toMatchObject({ brandName: 'Sluice', customerTotalUsd: 201 })
  })

  test('goes into webhooks, with the token the brand names where nobody was offered to pay', async () => {
    await assignBrand(api.needs, merchant.wallet, 'acme')
    await create('told', 1, { webhook_url: 'http://127.0.0.1:9/hook' })
    await assignBrand(api.needs, merchant.wallet, 'service')
    await api.move(merchant.wallet, 'told', 'failure_verified')
    const text = "SELECT brand_key, body FROM outbox_message WHERE merchant = $1 AND subject = 'told'"
    type Reported = { brand_key: string; body: string }
    const row = await api.needs.db.row<Reported>({ name: 'test-message', text }, [merchant.wallet])
    expect(row?.brand_key).toBe('acme')
    expect(JSON.parse(row?.body ?? '{}')).toMatchObject({ brandKey: 'acme', token: 'cbXRP' })
  })
})

describe('brandName', () => {
  test('is the name of the shop, fixed when the receipt is made', async () => {
    const one = await api.addMerchant()
    const make = (id: string) => makeReceipt(api, one, receiptBody(id, 1))
    const name = async (id: string) => (await readReceipt(api, one, id)).brandName
    await make('before')
    await changeShop(api.needs, one.wallet, { name: 'Blue Door' })
    await make('after')
    await changeShop(api.needs, one.wallet, { name: 'Red Door' })
    expect([await name('before'), await name('after')]).toEqual(['Sluice', 'Blue Door'])
    await changeShop(api.needs, one.wallet, { name: '' })
    await make('nameless')
    expect(await name('nameless')).toBe('Sluice')
  })
})

const shop = perFile(startShop)
test('an order is paid on the domain of its merchant’s brand, wherever it was placed and is read', async () => {
  await changeSite(shop.needs, 'acme', { theme: { brandName: 'Acme' }, domains: [domain] })
  const merchant = await shop.addShop()
  await assignBrand(shop.needs, merchant.wallet, 'acme')
  await shop.addProduct(merchant, { sku: 'mug', priceUsd: 10 })
  const sent = { items: [{ sku: 'mug', qty: 1 }], jurisdictionCode: 'US-CA' }
  const made = await askAs(`${shop.url}/api/orders`, 'evil.example', { key: merchant.key, body: sent })
  expect(made.body.paymentUrl).toBe(`https://${domain}/pay/${made.body.id}`)
  expect(made.body.receipt.brandName).toBe('Acme')
  const one = await shop.call('GET', `/api/orders/${made.body.id}`, { key: merchant.key })
  const all = await shop.call('GET', '/api/orders', { key: merchant.key })
  for (const order of [one.body, all.body.orders[0]]) expect(order.paymentUrl).toBe(made.body.paymentUrl)
})
