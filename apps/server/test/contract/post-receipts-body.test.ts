import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { startOnrampApi } from '../support/api/onramp.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startOnrampApi)
const production = perFile(() => startMerchantApi({ beside: context, isProduction: true }))
let count = 0

const valid = (fields: object = {}) => receiptBody(`body-${++count}`, 3.5, fields)
const native = (amounts: number[], fields: object = {}) =>
  valid({ lineItems: amounts.map((amount) => ({ label: 'Tea', amount })), totalUsd: undefined, ...fields })
const post = (body: object) => context.post('/api/receipts', body)
const made = async (body: { id: string }) => {
  expect((await post(body)).status).toBe(201)
  return context.detail(body.id)
}
async function refuses(path: string, ...bodies: { id?: unknown }[]): Promise<void> {
  for (const body of bodies) {
    const response = await post(body)
    expectError(response, 400, 'invalid_input', JSON.stringify(body))
    expect(response.body.issues.map((issue: { path: string }) => issue.path).join()).toContain(path)
    // Without an id, the URL is that of the list.
    if (body.id !== '') expect((await context.get(`/api/receipts/${body.id}`)).status).toBe(404)
  }
}
async function checkoutOnceReady(body: { id: string }) {
  await made(body)
  const view = () => context.call('GET', `/api/checkout/${body.id}?recipient=${context.merchant.wallet}`)
  const before = (await view()).body.returnUrl
  await context.takeForPaid(body.id)
  return [before, (await view()).body.returnUrl]
}
const billing = {
  firstName: ['billingFirstName', 'customerFirstName'],
  lastName: ['billingLastName', 'customerLastName'],
  email: ['billingEmail', 'customerEmail'],
  phone: ['billingPhone', 'customerPhone'],
  line1: ['billingAddressLine1', 'customerAddressLine1'],
  line2: ['billingAddressLine2', 'customerAddressLine2'],
  city: ['billingAddressCity', 'customerAddressCity'],
  state: ['billingAddressState', 'customerAddressState'],
  zip: ['billingAddressPostalCode', 'billingAddressZip', 'customerAddressPostalCode'],
  country: ['billingAddressCountry', 'customerAddressCountry'],
} as const
/** Expects that each name sets the billing field, and that two different values are rejected. */
async function isBilling(field: keyof typeof billing): Promise<void> {
  const names = billing[field]
  for (const name of names) {
    const { billingAddress } = await made(valid({ [name]: `by ${name}` }))
    expect(billingAddress[field], name).toBe(`by ${name}`)
    expect(Object.values(billingAddress).filter((text) => text !== '')).toHaveLength(1)
  }
  const [first, ...aliases] = names
  for (const alias of aliases) await refuses(alias, valid({ [first]: 'one', [alias]: 'another' }))
  await refuses(first, valid({ [first]: 7 }))
}

row(
  'post-receipts.id',
  'is required, identifies the receipt, and contains only visible characters',
  async () => {
    const { receiptId } = await made(valid({ id: 'A.b_c:d~1-2' }))
    expect(receiptId).toBe('A.b_c:d~1-2')
    await refuses('id', { ...valid(), id: undefined })
    await refuses('id', { ...valid(), id: 7 }, { ...valid(), id: '' }, { ...valid(), id: 'a b' })
    expect((await made(valid({ id: '#10/01' }))).receiptId).toBe('#10/01')
  },
)

row(
  'post-receipts.lineItems',
  'is required and accepts priceUsd lines or amount lines, but not both',
  async () => {
    const legacy = [{ label: 'Tea', priceUsd: 3.5, qty: 2 }]
    expect((await made(valid({ lineItems: legacy }))).lineItems).toEqual(legacy)
    expect((await made(native([3.5]))).lineItems).toEqual([{ label: 'Tea', priceUsd: 3.5, amount: 3.5 }])
    await refuses('lineItems', valid({ lineItems: undefined }))
    for (const lineItems of [[], 'Tea', [{ priceUsd: 3.5 }], [...legacy, { label: 'Tea', amount: 1 }]])
      await refuses('lineItems', valid({ lineItems }))
  },
)

row(
  'post-receipts.currency',
  'defaults to USD, accepts EUR in any case, and rejects everything else',
  async () => {
    expect((await made(native([5]))).currency).toBe('USD')
    for (const currency of ['EUR', 'eur', 'Eur']) {
      const receipt = await made(native([5], { currency }))
      expect([receipt.currency, receipt.total, receipt.totalUsd]).toEqual(['EUR', 5, 5.4])
    }
    expect((await made(valid({ currency: 'usd' }))).currency).toBe('USD')
    await refuses('currency', native([5], { currency: 'GBP' }), valid({ currency: 'EUR' }))
  },
)

row(
  'post-receipts.lineItems-amount',
  'is the amount of the whole line, regardless of qty, and can be negative',
  async () => {
    const lineItems = [
      { label: 'Tea', amount: 9, qty: 3 },
      { label: 'Discount', amount: -1.5 },
    ]
    const receipt = await made(valid({ lineItems, totalUsd: undefined, currency: 'EUR' }))
    expect(receipt.total).toBe(7.5)
    expect(receipt.lineItems).toMatchObject(lineItems)
    expect(receipt.lineItems[1]).not.toHaveProperty('qty')
  },
)

row('post-receipts.total', 'defaults to the sum of the lines and must equal that sum if sent', async () => {
  expect((await made(native([0.1, 0.2]))).total).toBe(0.3)
  expect((await made(native([0.1, 0.2], { total: 0.3 }))).total).toBe(0.3)
  await refuses('total', native([0.1, 0.2], { total: 0.31 }), native([5], { total: '5' }))
})

row(
  'post-receipts.totalUsd',
  'is required with priceUsd lines, must equal their sum, and is rejected with native lines',
  async () => {
    expect((await made(valid())).totalUsd).toBe(3.5)
    const perUnit = [{ label: 'Tea', priceUsd: 1.5, qty: 3 }]
    expect((await made(valid({ lineItems: perUnit, totalUsd: 4.5 }))).totalUsd).toBe(4.5)
    await refuses('totalUsd', valid({ totalUsd: undefined }), valid({ totalUsd: 3.49 }))
    await refuses('lineItems', native([3.5], { totalUsd: 3.5 }))
  },
)

row(
  'post-receipts.redirect_url',
  'is returned, must be https, and is passed to the card provider',
  async () => {
    const url = 'https://shop.example.com/back?order=1'
    for (const name of ['redirect_url', 'redirectUrl']) {
      const { body } = await post(valid({ [name]: url }))
      expect(body.redirectUrl).toBe(url)
      expect(new URL(body.paymentUrl).searchParams.get('redirect_url')).toBe(url)
    }
    await refuses('redirect', valid({ redirect_url: url, redirectUrl: `${url}0` }))
    for (const redirect_url of ['ftp://shop.example.com', 'javascript:1'])
      await refuses('redirect_url', valid({ redirect_url }))
    const plain = await production.post('/api/receipts', valid({ redirect_url: 'http://shop.example.com' }))
    expectError(plain, 400, 'invalid_input')
    const session = await context.newCardReceipt({ redirect_url: url })
    expect(context.provider.orders.get(session.sessionId)?.redirectUrl).toBe(url)
    // Without a provider, there is no hosted flow, so the checkout itself redirects.
    expect(await checkoutOnceReady(valid({ redirect_url: url }))).toEqual([null, url])
  },
)

row(
  'post-receipts.returnUrl',
  'is available to the checkout only after payment, under either name',
  async () => {
    const url = 'https://shop.example.com/thanks'
    for (const name of ['returnUrl', 'return_url'])
      expect(await checkoutOnceReady(valid({ [name]: url }))).toEqual([null, url])
    await refuses('return', valid({ returnUrl: url, return_url: `${url}0` }))
  },
)

row(
  'post-receipts.webhook_url',
  'is returned, under either name, and must be https in production',
  async () => {
    const url = 'https://shop.example.com/hook'
    for (const name of ['webhook_url', 'webhookUrl'])
      expect((await post(valid({ [name]: url }))).body.webhookUrl).toBe(url)
    await refuses('webhook', valid({ webhook_url: url, webhookUrl: `${url}0` }))
    for (const webhook_url of ['ftp://shop.example.com', 'hook'])
      await refuses('webhook_url', valid({ webhook_url }))
    const plain = valid({ webhook_url: 'http://shop.example.com/hook' })
    expectError(await production.post('/api/receipts', plain), 400, 'invalid_input')
  },
)

row(
  'post-receipts.providerEmail',
  "prefills the provider's form and can differ from the billing email",
  async () => {
    const receipt = await made(valid({ providerEmail: 'p@example.com', billingEmail: 'b@example.com' }))
    expect([receipt.providerEmail, receipt.billingAddress.email]).toEqual(['p@example.com', 'b@example.com'])
    expect((await made(valid())).providerEmail).toBeNull()
    await refuses('providerEmail', valid({ providerEmail: 7 }))
    const emails = { providerEmail: 'p@example.com', billingEmail: 'b@example.com' }
    for (const [fields, email] of [
      [emails, 'p@example.com'],
      [{ billingEmail: 'b@example.com' }, 'b@example.com'],
    ] as const) {
      const { sessionId } = await context.newCardReceipt(fields)
      expect(context.provider.orders.get(sessionId)?.email).toBe(email)
    }
  },
)

row('post-receipts.billingFirstName', 'is the first name, under either name', () => isBilling('firstName'))
row('post-receipts.billingLastName', 'is the last name, under either name', () => isBilling('lastName'))

row(
  'post-receipts.billingEmail',
  'is the email, under either name, and defaults to providerEmail',
  async () => {
    await isBilling('email')
    const { billingAddress } = await made(valid({ providerEmail: 'p@example.com' }))
    expect(billingAddress.email).toBe('p@example.com')
  },
)

row('post-receipts.billingPhone', 'is the phone number, under either name', () => isBilling('phone'))
row('post-receipts.billingAddressLine1', 'is the first address line, under either name', () =>
  isBilling('line1'),
)
row('post-receipts.billingAddressLine2', 'is the second address line, under either name', () =>
  isBilling('line2'),
)
row('post-receipts.billingAddressCity', 'is the city, under either name', () => isBilling('city'))
row('post-receipts.billingAddressState', 'is the state, under either name', () => isBilling('state'))

row('post-receipts.billingAddressPostalCode', 'is the postal code, under any of three names', () =>
  isBilling('zip'),
)

row('post-receipts.billingAddressCountry', 'is the country, under either name', () => isBilling('country'))

row('post-receipts.metadata', 'is stored unchanged and can be at most 8 KiB', async () => {
  const metadata = { order: 17, nested: { list: [1, 'two', null] } }
  expect((await made(valid({ metadata }))).metadata).toEqual(metadata)
  await refuses('metadata', valid({ metadata: 'text' }), valid({ metadata: { long: 'x'.repeat(8_192) } }))
})

row('post-receipts.transactionId', 'is stored unchanged, under either name', async () => {
  for (const name of ['transactionId', 'clientTransactionId'])
    expect((await made(valid({ [name]: 'T-1' }))).transactionId).toBe('T-1')
  await refuses('clientTransactionId', valid({ transactionId: 'T-1', clientTransactionId: 'T-2' }))
})
