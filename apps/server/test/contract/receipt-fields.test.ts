import { beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { contractPlatform, startMerchantApi } from '../support/api/merchant-api.ts'
import { scriptedRates } from '../support/api/scripted-rates.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const operator = newWallet()
const euro = scriptedRates({ EUR: 1.08 }, () => context.clock.now())
const context = perFile(() => startMerchantApi({ operatorWallets: [operator.wallet], rates: [euro] }))
beforeAll(() => context.addSplit(context.merchant.wallet))

async function both(id: string) {
  const list = await context.get('/api/receipts')
  expect(list.status).toBe(200)
  const item = list.body.receipts.find((each: { receiptId: string }) => each.receiptId === id)
  return { item, detail: await context.detail(id) }
}

const native = (fields: object = {}) =>
  context.newReceipt({
    lineItems: [
      { label: 'Book', amount: 12.34, qty: 2 },
      { label: 'Voucher', amount: -2.34 },
    ],
    totalUsd: undefined,
    currency: 'EUR',
    ...fields,
  })

row('receipt.receiptId', 'is the id that the client chose', async () => {
  const id = await context.newReceipt({ id: 'order-1001' })
  const { item, detail } = await both(id)
  expect([item.receiptId, detail.receiptId]).toEqual(['order-1001', 'order-1001'])
})

row('receipt.totalUsd', 'is the total in USD, as a number with cents', async () => {
  const lineItems = [
    { label: 'a', priceUsd: 0.1 },
    { label: 'b', priceUsd: 0.2 },
  ]
  const { item, detail } = await both(await context.newReceipt({ lineItems, totalUsd: 0.3 }))
  expect([item.totalUsd, detail.totalUsd]).toEqual([0.3, 0.3])
})

row('receipt.currency', 'is USD, or EUR for a receipt in euros', async () => {
  const usd = await both(await context.newReceipt())
  const eur = await both(await native())
  expect([usd.item.currency, usd.detail.currency]).toEqual(['USD', 'USD'])
  expect([eur.item.currency, eur.detail.currency]).toEqual(['EUR', 'EUR'])
})

row(
  'receipt.lineItems',
  'contains label, USD price and quantity, and the amount on native receipts',
  async () => {
    const lineItems = [
      { label: 'Tea', priceUsd: 3.5, qty: 1 },
      { label: 'Discount', priceUsd: -0.5 },
    ]
    const legacy = await both(await context.newReceipt({ lineItems, totalUsd: 3 }))
    expect(legacy.item.lineItems).toEqual(lineItems)
    expect(legacy.detail.lineItems).toEqual(lineItems)
    const { item } = await both(await native({ currency: 'USD' }))
    expect(item.lineItems).toEqual([
      { label: 'Book', priceUsd: 12.34, amount: 12.34, qty: 2 },
      { label: 'Voucher', priceUsd: -2.34, amount: -2.34 },
    ])
  },
)

row('receipt.createdAt', 'is the creation time in Unix milliseconds and never changes', async () => {
  const madeAt = context.clock.now()
  const id = await context.newReceipt()
  await context.clock.advance(1_234)
  await context.takeForPaid(id)
  const { item, detail } = await both(id)
  expect([item.createdAt, detail.createdAt]).toEqual([madeAt, madeAt])
})

row('receipt.brandName', 'is the name of the shop', async () => {
  const { item, detail } = await both(await context.newReceipt())
  expect([item.brandName, detail.brandName]).toEqual(['Blue Door', 'Blue Door'])
})

row('receipt.status', 'is pending for a new receipt and changes to paid on payment', async () => {
  const id = await context.newReceipt()
  expect((await both(id)).item.status).toBe('pending')
  await context.takeForPaid(id)
  const { item, detail } = await both(id)
  expect([item.status, detail.status]).toEqual(['paid', 'paid'])
})

row('receipt.jurisdictionCode', 'is the tax jurisdiction from the request, or null', async () => {
  const taxed = await context.detail(await context.newReceipt({ jurisdictionCode: 'us-ca' }))
  expect(taxed.jurisdictionCode).toBe('US-CA')
  expect((await context.detail(await context.newReceipt())).jurisdictionCode).toBeNull()
})

row('receipt.taxRate', 'is the tax rate as a fraction', async () => {
  const taxed = await context.detail(await context.newReceipt({ jurisdictionCode: 'US-CA', taxRate: 0.0725 }))
  expect(taxed.taxRate).toBe(0.0725)
  expect((await context.detail(await context.newReceipt())).taxRate).toBeNull()
})

row('receipt.taxComponents', 'contains the strings that were sent', async () => {
  const taxComponents = ['State 6%', 'County 1.25%']
  const taxed = await context.detail(await context.newReceipt({ taxRate: 0.0725, taxComponents }))
  expect(taxed.taxComponents).toEqual(taxComponents)
  expect((await context.detail(await context.newReceipt())).taxComponents).toEqual([])
})

row('receipt.billingAddress', 'contains ten strings, empty for fields that were not sent', async () => {
  const id = await context.newReceipt({
    billingFirstName: 'Ada',
    billingLastName: 'Lovelace',
    billingPhone: '+44 20 7946 0000',
    billingEmail: 'ada@example.com',
    billingAddressLine1: '12 St James’s Square',
    billingAddressCity: 'London',
    billingAddressState: 'LN',
    billingAddressPostalCode: 'SW1Y 4JH',
    billingAddressCountry: 'GB',
  })
  expect((await context.detail(id)).billingAddress).toEqual({
    firstName: 'Ada',
    lastName: 'Lovelace',
    phone: '+44 20 7946 0000',
    email: 'ada@example.com',
    line1: '12 St James’s Square',
    line2: '',
    city: 'London',
    state: 'LN',
    zip: 'SW1Y 4JH',
    country: 'GB',
  })
})

row('receipt.total', 'is the total in euros on a euro receipt, and absent on a legacy receipt', async () => {
  const { item, detail } = await both(await native())
  expect([item.total, detail.total]).toEqual([10, 10])
  expect((await both(await context.newReceipt())).item).not.toHaveProperty('total')
})

row(
  'receipt.pricing',
  'contains the valuation and the original amounts, on native receipts only',
  async () => {
    await context.clock.advance(7_200_000)
    const { item, detail } = await both(await native())
    expect(item.pricing).toEqual({
      valuation: {
        version: 1,
        currency: 'EUR',
        usdPerUnit: 1.08,
        quotedAt: context.clock.now(),
        provider: 'scripted',
      },
      originalTotal: 10,
      originalLineItems: [
        { label: 'Book', amount: 12.34, qty: 2 },
        { label: 'Voucher', amount: -2.34 },
      ],
    })
    expect(detail.pricing).toEqual(item.pricing)
    expect((await both(await context.newReceipt())).item).not.toHaveProperty('pricing')
  },
)

row('receipt.list-item', 'omits the fields of the detail view', async () => {
  const id = await context.newReceipt({ billingFirstName: 'Ada', taxRate: 0.1, jurisdictionCode: 'US-CA' })
  await context.takeForPaid(id)
  const { item } = await both(id)
  expect(Object.keys(item).sort()).toEqual(
    [
      'brandName',
      'createdAt',
      'currency',
      'displayStatus',
      'lineItems',
      'receiptId',
      'status',
      'totalUsd',
    ].sort(),
  )
})

row('receipt.native.currency', 'defaults to USD and is case-insensitive', async () => {
  const plain = await context.detail(await native({ currency: undefined }))
  expect(plain).toMatchObject({ currency: 'USD', total: 10, totalUsd: 10 })
  expect(plain.pricing.valuation).toMatchObject({ currency: 'USD', usdPerUnit: 1, provider: 'identity' })
  expect((await context.detail(await native({ currency: 'eUr' }))).currency).toBe('EUR')
})

row('receipt.native.valuation', 'keeps the rate from the creation of the receipt', async () => {
  const id = await native()
  const before = await context.detail(id)
  expect(before.pricing.valuation.usdPerUnit).toBe(1.08)
  euro.usd.EUR = 1.2
  await context.clock.advance(7_200_000)
  const after = await context.detail(id)
  expect(after.pricing).toEqual(before.pricing)
  expect([after.totalUsd, after.total]).toEqual([10.8, 10])
  expect((await context.detail(await native())).totalUsd).toBe(12)
  euro.usd.EUR = 1.08
  await context.clock.advance(7_200_000)
})

row('receipt.native.amounts', 'are returned together with USD values that add up', async () => {
  const { totalUsd, total, lineItems } = await context.detail(await native())
  expect([total, totalUsd]).toEqual([10, 10.8])
  expect(lineItems).toEqual([
    { label: 'Book', amount: 12.34, priceUsd: 13.33, qty: 2 },
    { label: 'Voucher', amount: -2.34, priceUsd: -2.53 },
  ])
})

row(
  'receipt.native.edits',
  'recompute the native amounts from USD and keep the originals in pricing',
  async () => {
    const session = await context.logInOwner()
    const id = await native()
    const body = { lineItems: [{ label: 'Book, used', priceUsd: 5.4 }] }
    const response = await context.call('PATCH', `/api/receipts/${id}`, { session, body })
    expect(response.status).toBe(200)
    const edited = await context.detail(id)
    expect(edited).toMatchObject({ totalUsd: 5.4, total: 5 })
    expect(edited.lineItems).toEqual([{ label: 'Book, used', priceUsd: 5.4, amount: 5 }])
    expect(edited.pricing.originalTotal).toBe(10)
    expect(edited.pricing.originalLineItems.map(({ amount }: { amount: number }) => amount)).toEqual([
      12.34, -2.34,
    ])
  },
)

row('receipt.native.fees', 'are the same as for an equal total in USD, and so is the split', async () => {
  const session = await logIn(context, operator)
  const charge = (processingFeePct: number) =>
    context.call('POST', '/api/site/config', { session, body: { processingFeePct } })
  expect((await charge(2.5)).status).toBe(200)
  const eur = await context.detail(await native())
  const usd = await context.detail(
    await context.newReceipt({ lineItems: [{ label: 'Book', priceUsd: 10.8 }], totalUsd: 10.8 }),
  )
  await charge(0)
  expect([eur.totalUsd, eur.customerTotalUsd]).toEqual([10.8, 11.07])
  expect([usd.totalUsd, usd.customerTotalUsd]).toEqual([10.8, 11.07])
  expect(eur.split).toEqual(usd.split)
  const { split } = (await context.get('/api/split/deploy')).body
  expect(eur.split).toEqual({ address: split.address, version: 1 })
  expect(split.recipients).toContainEqual({ address: contractPlatform.recipient, sharesBps: 50 })
})
