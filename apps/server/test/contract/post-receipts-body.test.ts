import { afterAll, beforeAll, expect } from 'vitest'
import { type ContractWorld, refusalOf, startContractWorld } from '../support/worlds/contract-world.ts'
import { row, waitingRow } from '../support/worlds/row.ts'

let world: ContractWorld
let production: ContractWorld
let count = 0

beforeAll(async () => {
  world = await startContractWorld()
  production = await startContractWorld({ beside: world, isProduction: true })
})
afterAll(async () => {
  await production?.stop()
  await world?.stop()
})

const valid = (fields: object = {}) => ({
  id: `body-${++count}`,
  lineItems: [{ label: 'Tea', priceUsd: 3.5 }],
  totalUsd: 3.5,
  ...fields,
})
const native = (amounts: number[], fields: object = {}) =>
  valid({ lineItems: amounts.map((amount) => ({ label: 'Tea', amount })), totalUsd: undefined, ...fields })
const post = (body: object) => world.post('/api/receipts', body)
const made = async (body: { id: string }) => {
  expect((await post(body)).status).toBe(201)
  return world.detail(body.id)
}
/** Refuses each body, names the field and stores nothing. */
async function refuses(path: string, ...bodies: { id?: unknown }[]): Promise<void> {
  for (const body of bodies) {
    const answer = await post(body)
    expect(refusalOf(answer), JSON.stringify(body)).toEqual([400, 'invalid_input'])
    expect(answer.body.issues.map((issue: { path: string }) => issue.path).join()).toContain(path)
    expect((await world.get(`/api/receipts/${body.id}`)).status).toBe(404)
  }
}
/** What the checkout of a paid receipt tells the buyer's browser. */
async function checkoutOnceReady(body: { id: string }) {
  await made(body)
  const view = () => world.call('GET', `/api/checkout/${body.id}?recipient=${world.merchant.wallet}`)
  const before = (await view()).body.returnUrl
  await world.takeForPaid(body.id)
  return [before, (await view()).body.returnUrl]
}
/** A billing field is taken under each of its names; two names that disagree are refused. */
async function isBilling(field: string, names: string[]): Promise<void> {
  for (const name of names) {
    const { billingAddress } = await made(valid({ [name]: `by ${name}` }))
    expect(billingAddress[field], name).toBe(`by ${name}`)
    expect(Object.values(billingAddress).filter((text) => text !== '')).toHaveLength(1)
  }
  for (const alias of names.slice(1))
    await refuses(alias, valid({ [names[0] as string]: 'one', [alias]: 'another' }))
  await refuses(names[0] as string, valid({ [names[0] as string]: 7 }))
}

row('post-receipts.id', 'is required, names the receipt, and is of visible characters', async () => {
  const { receiptId } = await made(valid({ id: 'A.b_c:d~1-2' }))
  expect(receiptId).toBe('A.b_c:d~1-2')
  await refuses('', { ...valid(), id: undefined })
  await refuses('id', { ...valid(), id: 7 }, { ...valid(), id: '' }, { ...valid(), id: 'a b' })
  expect((await made(valid({ id: '#10/01' }))).receiptId).toBe('#10/01')
})

row('post-receipts.lineItems', 'is required and takes priceUsd lines or amount lines, not both', async () => {
  const legacy = [{ label: 'Tea', priceUsd: 3.5, qty: 2 }]
  expect((await made(valid({ lineItems: legacy }))).lineItems).toEqual(legacy)
  expect((await made(native([3.5]))).lineItems).toEqual([{ label: 'Tea', priceUsd: 3.5, amount: 3.5 }])
  await refuses('', valid({ lineItems: undefined }))
  await refuses(
    'lineItems',
    valid({ lineItems: [] }),
    valid({ lineItems: 'Tea' }),
    valid({ lineItems: [{ priceUsd: 3.5 }] }),
  )
  await refuses('lineItems', valid({ lineItems: [...legacy, { label: 'Tea', amount: 1 }] }))
})

row('post-receipts.currency', 'is USD where it is left out, EUR in any case, and nothing else', async () => {
  expect((await made(native([5]))).currency).toBe('USD')
  for (const currency of ['EUR', 'eur', 'Eur']) {
    const receipt = await made(native([5], { currency }))
    expect([receipt.currency, receipt.total, receipt.totalUsd]).toEqual(['EUR', 5, 5.4])
  }
  expect((await made(valid({ currency: 'usd' }))).currency).toBe('USD')
  await refuses('currency', native([5], { currency: 'GBP' }), valid({ currency: 'EUR' }))
})

row(
  'post-receipts.lineItems-amount',
  'is the whole line, its quantity only told, and may be negative',
  async () => {
    const lineItems = [
      { label: 'Tea', amount: 9, qty: 3 },
      { label: 'Discount', amount: -1.5 },
    ]
    const receipt = await made(valid({ lineItems, totalUsd: undefined, currency: 'EUR' }))
    expect(receipt.total).toBe(7.5)
    expect(
      receipt.lineItems.map(({ amount, qty }: { amount: number; qty?: number }) => [amount, qty]),
    ).toEqual([
      [9, 3],
      [-1.5, undefined],
    ])
  },
)

row(
  'post-receipts.total',
  'is the sum of the lines by default, and must equal it where it is sent',
  async () => {
    expect((await made(native([0.1, 0.2]))).total).toBe(0.3)
    expect((await made(native([0.1, 0.2], { total: 0.3 }))).total).toBe(0.3)
    await refuses('total', native([0.1, 0.2], { total: 0.31 }), native([5], { total: '5' }))
  },
)

row(
  'post-receipts.totalUsd',
  'is needed with priceUsd lines, equals their sum, and has no place in native ones',
  async () => {
    expect((await made(valid())).totalUsd).toBe(3.5)
    const perUnit = [{ label: 'Tea', priceUsd: 1.5, qty: 3 }]
    expect((await made(valid({ lineItems: perUnit, totalUsd: 4.5 }))).totalUsd).toBe(4.5)
    await refuses('totalUsd', valid({ totalUsd: undefined }), valid({ totalUsd: 3.49 }))
    await refuses('lineItems', native([3.5], { totalUsd: 3.5 }))
  },
)

waitingRow(
  'post-receipts.redirect_url',
  'the card provider',
  'is answered back under either name, and must be https',
  async () => {
    const url = 'https://shop.example.com/back?order=1'
    for (const name of ['redirect_url', 'redirectUrl']) {
      const { body } = await post(valid({ [name]: url }))
      expect(body.redirectUrl).toBe(url)
      expect(new URL(body.paymentUrl).searchParams.get('redirect_url')).toBe(url)
    }
    await refuses('redirect', valid({ redirect_url: url, redirectUrl: `${url}0` }))
    await refuses(
      'redirect_url',
      valid({ redirect_url: 'ftp://shop.example.com' }),
      valid({ redirect_url: 'javascript:1' }),
    )
    const plain = await production.post('/api/receipts', valid({ redirect_url: 'http://shop.example.com' }))
    expect(refusalOf(plain)).toEqual([400, 'invalid_input'])
    // A payment without a provider has no hosted flow to come back from: the checkout goes there itself.
    expect(await checkoutOnceReady(valid({ redirect_url: url }))).toEqual([null, url])
  },
)

row('post-receipts.returnUrl', 'is where the browser goes once it is paid, under either name', async () => {
  const url = 'https://shop.example.com/thanks'
  for (const name of ['returnUrl', 'return_url'])
    expect(await checkoutOnceReady(valid({ [name]: url }))).toEqual([null, url])
  await refuses('return', valid({ returnUrl: url, return_url: `${url}0` }))
})

row(
  'post-receipts.webhook_url',
  'is answered back under either name, and must be https in production',
  async () => {
    const url = 'https://shop.example.com/hook'
    for (const name of ['webhook_url', 'webhookUrl'])
      expect((await post(valid({ [name]: url }))).body.webhookUrl).toBe(url)
    await refuses('webhook', valid({ webhook_url: url, webhookUrl: `${url}0` }))
    await refuses(
      'webhook_url',
      valid({ webhook_url: 'ftp://shop.example.com' }),
      valid({ webhook_url: 'hook' }),
    )
    const plain = await production.post(
      '/api/receipts',
      valid({ webhook_url: 'http://shop.example.com/hook' }),
    )
    expect(refusalOf(plain)).toEqual([400, 'invalid_input'])
  },
)

waitingRow(
  'post-receipts.providerEmail',
  'the card provider',
  'is kept for the provider beside an e-mail for billing',
  async () => {
    const receipt = await made(valid({ providerEmail: 'p@example.com', billingEmail: 'b@example.com' }))
    expect([receipt.providerEmail, receipt.billingAddress.email]).toEqual(['p@example.com', 'b@example.com'])
    expect((await made(valid())).providerEmail).toBeNull()
    await refuses('providerEmail', valid({ providerEmail: 7 }))
  },
)

row('post-receipts.billingFirstName', 'is the first name, under either name', async () => {
  await isBilling('firstName', ['billingFirstName', 'customerFirstName'])
})

row('post-receipts.billingLastName', 'is the last name, under either name', async () => {
  await isBilling('lastName', ['billingLastName', 'customerLastName'])
})

row('post-receipts.billingEmail', 'is the e-mail, under either name, else that of the provider', async () => {
  await isBilling('email', ['billingEmail', 'customerEmail'])
  const { billingAddress } = await made(valid({ providerEmail: 'p@example.com' }))
  expect(billingAddress.email).toBe('p@example.com')
})

row('post-receipts.billingPhone', 'is the phone number, under either name', async () => {
  await isBilling('phone', ['billingPhone', 'customerPhone'])
})

row('post-receipts.billingAddressLine1', 'is the first line, under either name', async () => {
  await isBilling('line1', ['billingAddressLine1', 'customerAddressLine1'])
})

row('post-receipts.billingAddressLine2', 'is the second line, under either name', async () => {
  await isBilling('line2', ['billingAddressLine2', 'customerAddressLine2'])
})

row('post-receipts.billingAddressCity', 'is the city, under either name', async () => {
  await isBilling('city', ['billingAddressCity', 'customerAddressCity'])
})

row('post-receipts.billingAddressState', 'is the state, under either name', async () => {
  await isBilling('state', ['billingAddressState', 'customerAddressState'])
})

row('post-receipts.billingAddressPostalCode', 'is the postal code, under each of three names', async () => {
  await isBilling('zip', ['billingAddressPostalCode', 'billingAddressZip', 'customerAddressPostalCode'])
})

row('post-receipts.billingAddressCountry', 'is the country, under either name', async () => {
  await isBilling('country', ['billingAddressCountry', 'customerAddressCountry'])
})

row('post-receipts.metadata', 'is kept as it came, of at most 8 KiB', async () => {
  const metadata = { order: 17, nested: { list: [1, 'two', null] } }
  expect((await made(valid({ metadata }))).metadata).toEqual(metadata)
  await refuses('metadata', valid({ metadata: 'text' }), valid({ metadata: { long: 'x'.repeat(8_192) } }))
})

row('post-receipts.transactionId', 'is kept as it came, under either name', async () => {
  for (const name of ['transactionId', 'clientTransactionId'])
    expect((await made(valid({ [name]: 'T-1' }))).transactionId).toBe('T-1')
  await refuses('clientTransactionId', valid({ transactionId: 'T-1', clientTransactionId: 'T-2' }))
})
