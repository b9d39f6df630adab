import { request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { assignBrand } from '../../../src/site/assign-brand.ts'
import { changeSite } from '../../../src/site/change-site.ts'
import { logIn } from '../../support/asking/log-in.ts'
import { perFile } from '../../support/per-file.ts'
import { addSplit } from '../../support/worlds/shop-api.ts'
import { type Answer, startApi } from '../../support/worlds/start-api.ts'
import { startShop } from '../../support/worlds/start-shop.ts'

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

describe('the processing fee', () => {
  test.each([
    [100, 100.5],
    [0.99, 0.99],
    [1, 1.01],
    [68.3, 68.64],
  ])('of half a percent on %d makes %d, half away from zero, apart from the total', async (totalUsd, customerTotalUsd) => {
    const { id } = (await create(`fee-${totalUsd}`, { totalUsd })).body
    const detail = await get(id)
    expect([detail.totalUsd, detail.customerTotalUsd]).toEqual([totalUsd, customerTotalUsd])
    expect(detail.lineItems).toHaveLength(1)
  })

  test('is fixed when the receipt is made, for native receipts too', async () => {
    const body = { id: 'fixed', lineItems: [{ label: 'Coffee', amount: 200 }], currency: 'USD' }
    await api.call('POST', '/api/receipts', { key: merchant.key, body })
    await changeSite(api.needs, 'service', { processingFeeHundredths: 1000n })
    expect((await get('fixed')).customerTotalUsd).toBe(201)
    expect((await create('later', { totalUsd: 200 })).status).toBe(201)
    expect((await get('later')).customerTotalUsd).toBe(220)
    await changeSite(api.needs, 'service', { processingFeeHundredths: 50n })
  })

  test('of an edited receipt is charged at the rate it was made with, also where it came to nothing', async () => {
    await create('edited', { totalUsd: 0.5 })
    expect((await get('edited')).customerTotalUsd).toBe(0.5)
    const session = await logIn(api, merchant)
    const body = { lineItems: [{ label: 'Coffee', priceUsd: 1000 }] }
    const answer = await api.call('PATCH', '/api/receipts/edited', { session, body })
    expect([answer.status, answer.body.receipt?.customerTotalUsd]).toEqual([200, 1005])
  })

  test('is charged at the counter as well', async () => {
    await addSplit(api, merchant.wallet)
    const session = await logIn(api, merchant)
    const answer = await api.call('POST', '/api/receipts/terminal', { session, body: { amountUsd: 10 } })
    expect(answer.status).toBe(200)
    expect((await get(answer.body.receipt.receiptId)).customerTotalUsd).toBe(10.05)
    expect(answer.body.paymentUrl).toMatch(/^https:\/\/pay\.example\.com\/pay\/R-/)
  })
})

describe('the brand of a receipt', () => {
  test('is that of its merchant: name, fee and payment URL', async () => {
    await assignBrand(api.needs, merchant.wallet, 'acme')
    const answer = await create('branded', { totalUsd: 100 })
    expect(answer.body.paymentUrl).toBe(`https://${domain}/portal/branded?recipient=${merchant.wallet}`)
    await assignBrand(api.needs, merchant.wallet, 'service')
    const detail = await get('branded')
    expect([detail.brandName, detail.customerTotalUsd]).toEqual(['Acme', 103.33])
  })

  test('a Host that nobody configured gets into no URL', async () => {
    const answer = await create('forged', { totalUsd: 1 }, 'evil.example')
    expect(answer.body.paymentUrl).toBe(`https://pay.example.com/portal/forged?recipient=${merchant.wallet}`)
  })

  test('stays when the same receipt is posted again under another', async () => {
    await assignBrand(api.needs, merchant.wallet, 'acme')
    const first = await create('again', { totalUsd: 5 })
    await assignBrand(api.needs, merchant.wallet, 'service')
    expect((await create('again', { totalUsd: 5 })).body).toEqual(first.body)
    expect((await get('again')).brandName).toBe('Acme')
  })

  test('changes with everything else when another content replaces it', async () => {
    await assignBrand(api.needs, merchant.wallet, 'acme')
    await create('replaced', { totalUsd: 100 })
    await assignBrand(api.needs, merchant.wallet, 'service')
    const answer = await create('replaced', { totalUsd: 200 })
    expect(answer.body.paymentUrl).toContain('https://pay.example.com/')
    expect(await get('replaced')).toMatchObject({ brandName: 'Sluice', customerTotalUsd: 201 })
  })

  test('goes into webhooks, with the token the brand names where nobody was offered to pay', async () => {
    const webhook_url = 'http://127.0.0.1:9/hook'
    await assignBrand(api.needs, merchant.wallet, 'acme')
    await create('told', { totalUsd: 1, webhook_url })
    await assignBrand(api.needs, merchant.wallet, 'service')
    const { db } = api.needs
    await api.move(merchant.wallet, 'told', 'failure_verified')
    const row = await db.row<{ brand_key: string; body: string }>(
      {
        name: 'test-notice',
        text: "SELECT brand_key, body FROM notice WHERE merchant = $1 AND subject = 'told'",
      },
      [merchant.wallet],
    )
    expect(row?.brand_key).toBe('acme')
    expect(JSON.parse(row?.body ?? '{}')).toMatchObject({ brandKey: 'acme', token: 'cbXRP' })
  })
})

describe('brandName', () => {
  test('is the name of the shop, fixed when the receipt is made', async () => {
    const one = await api.addMerchant()
    const make = (id: string) =>
      api.call('POST', '/api/receipts', { key: one.key, body: { ...body(id), totalUsd: 1 } })
    const name = async (id: string) =>
      (await api.call('GET', `/api/receipts/${id}`, { key: one.key })).body.brandName
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

test('an order is paid on the domain of its merchant’s brand, wherever it was placed and is read', async () => {
  const shop = await startShop()
  try {
    await changeSite(shop.needs, 'acme', { theme: { brandName: 'Acme' }, domains: [domain] })
    const merchant = await shop.addShop()
    await assignBrand(shop.needs, merchant.wallet, 'acme')
    await shop.addProduct(merchant, { sku: 'mug', priceUsd: 10 })
    const sent = { items: [{ sku: 'mug', qty: 1 }], jurisdictionCode: 'US-CA' }
    const made = await post(`${shop.url}/api/orders`, merchant.key, sent, 'evil.example')
    expect(made.body.paymentUrl).toBe(`https://${domain}/pay/${made.body.id}`)
    expect(made.body.receipt.brandName).toBe('Acme')
    const one = await shop.call('GET', `/api/orders/${made.body.id}`, { key: merchant.key })
    const all = await shop.call('GET', '/api/orders', { key: merchant.key })
    expect([one.body.paymentUrl, all.body.orders[0].paymentUrl]).toEqual([
      made.body.paymentUrl,
      made.body.paymentUrl,
    ])
  } finally {
    await shop.stop()
  }
})

function body(id: string, totalUsd = 1) {
  return { id, lineItems: [{ label: 'Coffee', priceUsd: totalUsd }] }
}

async function get(id: string) {
  return (await api.call('GET', `/api/receipts/${id}`, { key: merchant.key })).body
}

function create(
  id: string,
  more: { totalUsd: number; webhook_url?: string },
  host?: string,
): Promise<Pick<Answer, 'status' | 'body'>> {
  return post(`${api.url}/api/receipts`, merchant.key, { ...body(id, more.totalUsd), ...more }, host)
}

/** `fetch` would not let a test say the Host. */
function post(
  url: string,
  key: string,
  sent: object,
  host: string | undefined,
): Promise<Pick<Answer, 'status' | 'body'>> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'ocp-apim-subscription-key': key,
      ...(host !== undefined && { host }),
    }
    const asked = request(url, { method: 'POST', headers }, async (answer) => {
      let received = ''
      for await (const part of answer.setEncoding('utf8')) received += part
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(received) })
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(sent))
  })
}
