import { beforeAll, expect } from 'vitest'
import type { CallOptions } from '../support/api/call-api.ts'
import { row } from '../support/api/contract.ts'
import { expectError, expectSessionErrors } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const operator = newWallet()
const context = perFile(() => startMerchantApi({ operatorWallets: [operator.wallet] }))
beforeAll(() => context.addSplit(context.merchant.wallet))

const sell = (body: object, options: CallOptions = {}) =>
  context.postAsOwner('/api/receipts/terminal', body, options)
const sold = async (body: object) => {
  const response = await sell(body)
  expect(response.status, response.text).toBe(200)
  return response.body.receipt
}

row(
  'post-receipts-terminal.x-wallet',
  "has no effect: the receipt belongs to the session's merchant",
  async () => {
    const response = await sell({ amountUsd: 5 }, { headers: { 'x-wallet': newWallet().wallet } })
    expect(response.status).toBe(200)
    expect((await context.detail(response.body.receipt.receiptId)).totalUsd).toBe(5)
  },
)

row('post-receipts-terminal.amountUsd', 'is the base amount in USD, before tax', async () => {
  const receipt = await sold({ amountUsd: 100, taxRate: 0.095 })
  expect(receipt.totalUsd).toBe(109.5)
  expect(receipt.lineItems[0]).toEqual({ label: 'Sale', priceUsd: 100 })
  expect(receipt).not.toHaveProperty('total')
})

row(
  'post-receipts-terminal.amount',
  'is the base amount in the given currency, and cannot be combined with amountUsd',
  async () => {
    const receipt = await sold({ amount: 100, currency: 'EUR' })
    expect([receipt.total, receipt.totalUsd]).toEqual([100, 108])
    expectError(await sell({ amount: 1, amountUsd: 1 }), 400, 'invalid_amount')
  },
)

row(
  'post-receipts-terminal.currency',
  'defaults to USD, is case-insensitive, and accepts EUR only with amount',
  async () => {
    expect((await sold({ amount: 5 })).currency).toBe('USD')
    expect((await sold({ amount: 5, currency: 'eur' })).currency).toBe('EUR')
    expectError(await sell({ amountUsd: 5, currency: 'EUR' }), 400, 'invalid_amount')
    expectError(await sell({ amount: 5, currency: 'GBP' }), 400, 'invalid_input')
  },
)

row('post-receipts-terminal.label', 'is the label of the line', async () => {
  expect((await sold({ amountUsd: 5, label: 'Table 7' })).lineItems[0].label).toBe('Table 7')
})

row(
  'post-receipts-terminal.jurisdictionCode',
  'sets the tax rate and the jurisdiction of the receipt',
  async () => {
    const receipt = await sold({ amountUsd: 100, jurisdictionCode: 'de-be' })
    expect(receipt.lineItems[1]).toEqual({ label: 'Tax', priceUsd: 19 })
    expect(await context.detail(receipt.receiptId)).toMatchObject({
      jurisdictionCode: 'DE-BE',
      taxRate: 0.19,
    })
    expectError(await sell({ amountUsd: 5, jurisdictionCode: 'Berlin' }), 400, 'invalid_input')
  },
)

row(
  'post-receipts-terminal.taxRate',
  'is a fraction from 0 to 1 and adds a Tax line, even if it is 0',
  async () => {
    const receipt = await sold({ amountUsd: 100, taxRate: 0.0725 })
    expect(receipt.lineItems[1]).toEqual({ label: 'Tax', priceUsd: 7.25 })
    expect((await context.detail(receipt.receiptId)).taxRate).toBe(0.0725)
    expect((await sold({ amountUsd: 1, taxRate: 0 })).lineItems[1]).toEqual({ label: 'Tax', priceUsd: 0 })
    for (const taxRate of [-0.1, 1.1, '0.1', 0.0000001])
      expectError(await sell({ amountUsd: 5, taxRate }), 400, 'invalid_input', `${taxRate}`)
  },
)

row('post-receipts-terminal.taxComponents', 'is stored with the receipt', async () => {
  const taxComponents = ['State 6%', 'City 1.25%']
  const { receiptId } = await sold({ amountUsd: 5, taxRate: 0.0725, taxComponents })
  expect((await context.detail(receiptId)).taxComponents).toEqual(taxComponents)
})

row('post-receipts-terminal.200', 'returns ok and a generated receipt with a separate Tax line', async () => {
  const response = await sell({ amountUsd: 10, label: 'Lunch', taxRate: 0.1 })
  expect([response.status, response.body.ok]).toEqual([200, true])
  expect(response.body.receipt).toEqual({
    receiptId: expect.stringMatching(/^R-[0-9A-HJKMNP-TV-Z]{26}$/),
    totalUsd: 11,
    customerTotalUsd: 11,
    currency: 'USD',
    lineItems: [
      { label: 'Lunch', priceUsd: 10 },
      { label: 'Tax', priceUsd: 1 },
    ],
    createdAt: context.clock.now(),
    brandName: 'Blue Door',
    status: 'generated',
    displayStatus: 'generated',
  })
  expect(response.body.paymentUrl).toBe(`https://pay.example.com/pay/${response.body.receipt.receiptId}`)
})

row('post-receipts-terminal.native', 'native values are returned together with USD values', async () => {
  const receipt = await sold({ amount: 10, currency: 'EUR', taxRate: 0.19 })
  expect(receipt).toMatchObject({ currency: 'EUR', total: 11.9, totalUsd: 12.85 })
  expect(receipt.lineItems).toEqual([
    { label: 'Sale', amount: 10, priceUsd: 10.8 },
    { label: 'Tax', amount: 1.9, priceUsd: 2.05 },
  ])
  expect(receipt.pricing.originalTotal).toBe(11.9)
})

row('post-receipts-terminal.wallet_required', 'is returned for a session without a merchant', async () => {
  const session = await logIn(context, operator)
  const response = await context.call('POST', '/api/receipts/terminal', { session, body: { amountUsd: 5 } })
  expectError(response, 400, 'wallet_required')
})

row('post-receipts-terminal.invalid_amount', 'is returned for a missing or invalid amount', async () => {
  const inUsd = [0, -5, '5'].map((amountUsd) => ({ amountUsd }))
  for (const body of [{}, ...inUsd, { amount: 1.005 }, { amount: null }])
    expectError(await sell(body), 400, 'invalid_amount', JSON.stringify(body))
})

row('post-receipts-terminal.split_required', 'is returned for a merchant without a split', async () => {
  const session = await logIn(context, newWallet())
  const response = await context.call('POST', '/api/receipts/terminal', { session, body: { amountUsd: 5 } })
  expectError(response, 403, 'split_required')
})

row('post-receipts-terminal.refusals', 'returns 401, 403, 429 and 500, and 403 for keys', () =>
  expectSessionErrors(
    context,
    { method: 'POST', path: '/api/receipts/terminal', body: { amountUsd: 5 }, table: 'receipt' },
    'viewer',
  ),
)

row('post-receipts-terminal.x-correlation-id', 'is in the response', async () => {
  const response = await sell({ amountUsd: 5 }, { headers: { 'x-correlation-id': 'till-1' } })
  expect([response.status, response.headers.get('x-correlation-id')]).toEqual([200, 'till-1'])
})

row('get-terminal-check-payment.answer', 'returns the status and whether the receipt is paid', async () => {
  const { receiptId } = await sold({ amountUsd: 3.5 })
  const check = async (options: CallOptions) =>
    (await context.call('GET', `/api/terminal/check-payment?receiptId=${receiptId}`, options)).body
  const checked = { ok: true, transactionHash: null }
  for (const options of [{ session: context.owner }, { key: context.merchant.key }])
    expect(await check(options)).toMatchObject({ ...checked, paid: false, status: 'generated' })
  await context.takeForPaid(receiptId)
  const paid = { ...checked, paid: true, status: 'paid', payment: { state: 'none' } }
  expect(await check({ key: context.merchant.key })).toMatchObject(paid)
  expectError(await context.get('/api/terminal/check-payment'), 400, 'missing_receipt_id')
  expectError(await context.get('/api/terminal/check-payment?receiptId=no'), 404, 'not_found')
})
