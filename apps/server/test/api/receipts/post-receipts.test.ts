import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { describe, expect, test } from 'vitest'
import { findReceipt } from '../../../src/receipts/store.ts'
import { euroBody, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { logInAs } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())

let count = 0
const legacy = (more: object = {}) => receiptBody(`order-${++count}`, 3.5, more)
const native = (more: object = {}) => euroBody(`order-${++count}`, 3.5, more)
const lines = (...amounts: object[]) => amounts.map((each, i) => ({ label: 'abc'[i], ...each }))
const post = (body: unknown, key = merchant.key) => api.call('POST', '/api/receipts', { key, body })
const read = (id: string, by = merchant) => readReceipt(api, by, id)

describe('201', () => {
  test('a legacy receipt is pending and has a payment URL with the merchant and the redirect in it', async () => {
    const response = await post(legacy({ id: 'first', redirect_url: 'https://shop.example/done?a=1&b=2' }))
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: 'first',
      paymentUrl: `https://pay.example.com/portal/first?recipient=${merchant.wallet}&redirect_url=${encodeURIComponent('https://shop.example/done?a=1&b=2')}`,
      status: 'pending',
      redirectUrl: 'https://shop.example/done?a=1&b=2',
      webhookUrl: null,
    })
  })

  test('without a redirect the answer says null and the URL has none', async () => {
    const response = await post(legacy())
    expect(response.body.redirectUrl).toBeNull()
    expect(response.body.paymentUrl).not.toContain('redirect_url')
  })

  test('every alias is read as the name it stands for', async () => {
    const body = legacy({
      redirectUrl: 'https://shop.example/r',
      return_url: 'https://shop.example/back',
      webhookUrl: 'https://shop.example/hook',
      customerFirstName: 'Ada',
      customerLastName: 'Lovelace',
      customerEmail: 'ada@example.com',
      customerPhone: '+44 20',
      customerAddressLine1: '12 St James’s Square',
      customerAddressLine2: 'Flat 2',
      customerAddressCity: 'London',
      customerAddressState: 'LN',
      billingAddressZip: 'SW1Y',
      customerAddressCountry: 'GB',
      clientTransactionId: 'tx-77',
      metadata: { cart: [1, 2] },
    })
    const response = await post(body)
    expect(response.body.redirectUrl).toBe('https://shop.example/r')
    expect(response.body.webhookUrl).toBe('https://shop.example/hook')
    const detail = await read(body.id)
    expect(detail.billingAddress).toEqual({
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      phone: '+44 20',
      line1: '12 St James’s Square',
      line2: 'Flat 2',
      city: 'London',
      state: 'LN',
      zip: 'SW1Y',
      country: 'GB',
    })
    expect(detail.transactionId).toBe('tx-77')
    expect(detail.metadata).toEqual({ cart: [1, 2] })
  })

  test('a provider e-mail stands in for the billing e-mail, and each keeps its own beside one', async () => {
    const alone = legacy({ providerEmail: 'p@example.com' })
    await post(alone)
    expect((await read(alone.id)).billingAddress.email).toBe('p@example.com')
    const both = legacy({ providerEmail: 'p@example.com', billingEmail: 'b@example.com' })
    expect((await post(both)).status).toBe(201)
    expect((await read(both.id)).billingAddress.email).toBe('b@example.com')
  })

  test('0.1 and 0.2 are 0.30', async () => {
    const body = native({
      currency: undefined,
      lineItems: lines({ amount: 0.1 }, { amount: 0.2 }),
      total: 0.3,
    })
    expect((await post(body)).status).toBe(201)
    expect((await read(body.id)).totalUsd).toBe(0.3)
  })

  test('legacy prices are rounded half away from zero to cents, and a float sum is taken for what it means', async () => {
    const float = legacy({ lineItems: lines({ priceUsd: 0.1 }, { priceUsd: 0.2 }), totalUsd: 0.1 + 0.2 })
    expect((await post(float)).status).toBe(201)
    const rounded = legacy({ lineItems: lines({ priceUsd: 1.005 }), totalUsd: 1.01 })
    expect((await post(rounded)).status).toBe(201)
  })

  test('a legacy total may count priceUsd per line or per unit', async () => {
    const perLine = legacy({ lineItems: [{ label: 'a', priceUsd: 6, qty: 3 }], totalUsd: 6 })
    const perUnit = legacy({ lineItems: [{ label: 'a', priceUsd: 2, qty: 3 }], totalUsd: 6 })
    expect((await post(perLine)).status).toBe(201)
    const large = legacy({ lineItems: [{ label: 'a', priceUsd: 1e9, qty: 3 }], totalUsd: 1e9 })
    expect((await post(large)).status).toBe(201)
    expect((await post(perUnit)).status).toBe(201)
    expect((await read(perUnit.id)).lineItems).toEqual([{ label: 'a', priceUsd: 2, qty: 3 }])
  })

  test('discount lines are negative', async () => {
    const body = legacy({ lineItems: lines({ priceUsd: 10 }, { priceUsd: -2.5 }), totalUsd: 7.5 })
    expect((await post(body)).status).toBe(201)
  })

  test('an EUR receipt is valued once: lines add up to the total, and originals are kept', async () => {
    const lineItems = lines({ amount: 0.01 }, { amount: 9.99, qty: 3 })
    const body = native({ lineItems, total: 10 })
    expect((await post(body)).status).toBe(201)
    const detail = await read(body.id)
    expect(detail).toMatchObject({
      currency: 'EUR',
      total: 10,
      totalUsd: 10.8,
      lineItems: lines({ amount: 0.01, priceUsd: 0.01 }, { amount: 9.99, priceUsd: 10.79, qty: 3 }),
      pricing: {
        valuation: { version: 1, currency: 'EUR', usdPerUnit: 1.08, provider: 'fixed' },
        originalTotal: 10,
        originalLineItems: lineItems,
      },
    })
  })

  test('native USD is valued at one by identity, and the currency is read in any case', async () => {
    const body = native({ currency: 'usd' })
    expect((await post(body)).status).toBe(201)
    const valuation = { currency: 'USD', usdPerUnit: 1, provider: 'identity' }
    expect((await read(body.id)).pricing.valuation).toMatchObject(valuation)
  })

  test('the same content again gets the first answer, whatever the order of its fields and names', async () => {
    const body = legacy({ redirect_url: 'https://shop.example/r', metadata: { a: 1, b: 2 } })
    const first = await post(body)
    const again = await post({
      metadata: { b: 2, a: 1 },
      redirectUrl: 'https://shop.example/r',
      totalUsd: 3.5,
      lineItems: body.lineItems,
      id: body.id,
    })
    expect(again.status).toBe(201)
    expect(again.text).toBe(first.text)
  })

  test('an untouched legacy receipt is replaced by other content, and its history says so', async () => {
    const body = legacy()
    await post(body)
    expect((await post(receiptBody(body.id, 2))).status).toBe(201)
    const detail = await read(body.id)
    expect(detail.totalUsd).toBe(2)
    expect(detail.timeline.map((entry: { kind: string }) => entry.kind)).toEqual(['created', 'replaced'])
  })

  test('a receipt that is replaced keeps its webhook with its key unless a new one is given, and the answer says so', async () => {
    const hook = 'https://shop.example/hook'
    const { id, ...body } = legacy({ webhook_url: hook })
    expect((await post({ id, ...body })).body).not.toHaveProperty('warnings')
    const session = await logInAs(api, merchant.wallet, 'owner')
    const made = await api.call('POST', '/api/subscriptions', { session, body: { name: 'other' } })
    const other = made.body.primaryKey
    const keyOf = async () => (await findReceipt(api.needs.db, merchant.wallet, id as ReceiptId))?.keyId
    const first = await keyOf()
    const kept = await post(receiptBody(id, 2, { colour: 'red' }), other)
    const replaced = { path: 'id', didYouMean: null }
    expect(kept.body).toMatchObject({
      webhookUrl: hook,
      warnings: [
        { ...replaced, message: 'replaced a receipt with different content, and keeps its webhook_url' },
        { path: 'colour' },
      ],
    })
    expect(await keyOf()).toBe(first)
    expect((await post(receiptBody(id, 2, { colour: 'red' }), other)).body.webhookUrl).toBe(hook)
    const moved = await post(receiptBody(id, 3, { webhook_url: 'https://shop.example/new' }), other)
    expect(await keyOf()).not.toBe(first)
    expect(moved.body.webhookUrl).toBe('https://shop.example/new')
    expect(moved.body.warnings).toEqual([
      { ...replaced, message: 'replaced a receipt with different content' },
    ])
  })

  test('the same id belongs to each merchant alone', async () => {
    const other = await api.addMerchant()
    const body = legacy()
    await post(body)
    expect((await read(body.id, other)).error).toBe('not_found')
    expect((await post(receiptBody(body.id, 1), other.key)).status).toBe(201)
    expect((await read(body.id)).totalUsd).toBe(3.5)
  })

  test('racing creates of one id make one receipt', async () => {
    const body = legacy()
    const responses = await Promise.all(Array.from({ length: 12 }, () => post(body)))
    expect(responses.map((response) => response.status)).toEqual(Array(12).fill(201))
    expect(new Set(responses.map((response) => response.text)).size).toBe(1)
    expect((await read(body.id)).timeline).toHaveLength(1)
  })
})
