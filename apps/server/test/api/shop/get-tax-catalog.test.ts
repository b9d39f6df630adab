import { beforeAll, describe, expect, test } from 'vitest'
import { receiptBody } from '../../support/api/receipts.ts'
import { logInAs } from '../../support/api/sessions.ts'
import { newSku, startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)

test('GET /api/tax/catalog is open to everybody and says of each rate where it is from and from when', async () => {
  const { status, body } = await shop.call('GET', '/api/tax/catalog')
  expect(status).toBe(200)
  expect(body.jurisdictions).toHaveLength(98)
  const byCode = new Map(
    body.jurisdictions.map((each: { jurisdictionCode: string }) => [each.jurisdictionCode, each]),
  )
  expect(byCode.get('US-CA')).toEqual({
    jurisdictionCode: 'US-CA',
    country: 'US',
    region: 'CA',
    name: 'California',
    taxRate: 0.0725,
    components: [
      { name: 'State sales tax', taxRate: 0.06 },
      { name: 'Statewide local tax', taxRate: 0.0125 },
    ],
    source: expect.any(String),
    date: '2025-07-01',
  })
  expect(byCode.get('DE')).toMatchObject({ country: 'DE', region: null, taxRate: 0.19 })
})

describe('a country that has one rate', () => {
  const merchant = perFile(() => shop.addShop())
  const owner = perFile(() => logInAs(shop, merchant.wallet, 'owner'))
  const sku = newSku()
  const taxRates = [{ jurisdictionCode: 'br', rate: 0.1 }]

  beforeAll(async () => {
    await shop.addProduct(merchant, { sku, priceUsd: 100, taxable: true })
    const saved = await shop.call('POST', '/api/settings', { session: owner, body: { taxRates } })
    expect(saved.body.settings.taxRates).toMatchObject([{ jurisdictionCode: 'BR', rate: 0.1 }])
  })

  const places = {
    order: (code: string) =>
      shop.call('POST', '/api/orders', {
        key: merchant.key,
        body: { items: [{ sku, qty: 1 }], jurisdictionCode: code },
      }),
    terminal: (code: string) =>
      shop.call('POST', '/api/receipts/terminal', {
        session: owner,
        body: { amountUsd: 100, jurisdictionCode: code },
      }),
    receipt: (code: string) =>
      shop.call('POST', '/api/receipts', {
        key: merchant.key,
        body: receiptBody(newSku(), 100, { jurisdictionCode: code }),
      }),
    settings: (code: string) =>
      shop.call('POST', '/api/settings', {
        session: owner,
        body: { taxRates: [...taxRates, { jurisdictionCode: code, rate: 0.2 }] },
      }),
  }
  test.each(
    Object.entries(places),
  )('is a jurisdiction of itself for: %s; a country of several rates is told its regions', async (_, send) => {
    for (const code of ['DE', 'gb', 'JP', 'UK', 'CH']) expect((await send(code)).status).toBeLessThan(300)
    for (const code of ['US', 'ca']) {
      const { status, body } = await send(code)
      expect([status, body.error]).toEqual([400, 'invalid_input'])
      expect(body.issues[0].message).toContain(code === 'US' ? 'US-AK, US-AL' : 'CA-AB, CA-BC')
    }
  })

  test('is taxed at its rate: the merchant’s own, in its regions too, else that of the catalogue', async () => {
    const rateOf = async (code: string) => (await places.order(code)).body.receipt.totalUsd
    expect(await Promise.all(['SE', 'EL', 'BR', 'BR-SP', 'JP-13'].map(rateOf))).toEqual([
      125, 124, 110, 110, 110,
    ])
  })
})
