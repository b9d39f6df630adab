import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import { describe, expect, test } from 'vitest'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { wrongFields } from '../../support/api/expect-errors.ts'
import { readReceipt, takeForPaid } from '../../support/api/receipts.ts'
import { logIn, logInAs, newWallet, type TestSession } from '../../support/api/sessions.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const operator = newWallet()
const api = perFile(() => startApi({ operatorWallets: [operator.wallet] }))
const merchant = perFile(newMerchant)
const cashier = perFile(() => logInAs(api, merchant.wallet, 'cashier'))

async function newMerchant(): Promise<TestMerchant> {
  const made = await api.addMerchant({ name: 'Blue Door' })
  const chain = { id: 31337, factory: newWallet().wallet }
  const platform = { feeBps: 50 as Bps, recipient: newWallet().wallet }
  await configureSplit({ ...api.needs, chain, platform }, made.wallet, {})
  return made
}
const sell = (body: unknown, session: TestSession | undefined = cashier, headers = {}) =>
  api.call('POST', '/api/receipts/terminal', { session, body, headers })

describe('200', () => {
  test('one amount in dollars is one line, generated, under an id of ours that pays alone', async () => {
    const response = await sell({ amountUsd: 12.5, label: 'Lunch' })
    expect(response.status).toBe(200)
    const { receipt, paymentUrl, ok } = response.body
    expect(ok).toBe(true)
    expect(receipt).toEqual({
      receiptId: expect.stringMatching(/^R-[0-9A-HJKMNP-TV-Z]{26}$/),
      totalUsd: 12.5,
      customerTotalUsd: 12.5,
      currency: 'USD',
      lineItems: [{ label: 'Lunch', priceUsd: 12.5 }],
      createdAt: api.clock.now(),
      brandName: 'Blue Door',
      status: 'generated',
      displayStatus: 'generated',
    })
    expect(paymentUrl).toBe(`https://pay.example.com/pay/${receipt.receiptId}`)
    expect(response.headers.get('x-correlation-id')).toBeTruthy()
    const listed = await api.call('GET', '/api/receipts', { key: merchant.key })
    expect(listed.body.receipts[0].receiptId).toBe(receipt.receiptId)
  })

  test.each([
    [{ amountUsd: 100, taxRate: 0.095 }, 9.5, 109.5],
    [{ amountUsd: 100, jurisdictionCode: 'us-ca' }, 7.25, 107.25],
    [{ amountUsd: 100, jurisdictionCode: 'US-CA', taxRate: 0.01 }, 1, 101],
    [{ amountUsd: 100, jurisdictionCode: 'US-OR' }, 0, 100],
    [{ amountUsd: 100, taxRate: 0 }, 0, 100],
    [{ amountUsd: 0.5, taxRate: 0.01 }, 0.01, 0.51],
    [{ amountUsd: 0.49, taxRate: 0.01 }, 0, 0.49],
    [{ amountUsd: 0.01, taxRate: 1 }, 0.01, 0.02],
  ])('%j has a Tax line of %d and comes to %d', async (body, tax, total) => {
    const { receipt } = (await sell(body)).body
    expect(receipt.lineItems.at(-1)).toEqual({ label: 'Tax', priceUsd: tax })
    expect(receipt.totalUsd).toBe(total)
  })

  test('an amount in euros is native: both moneys are returned, and the lines add up in both', async () => {
    const { receipt } = (await sell({ amount: 10, currency: 'eur', taxRate: 0.19, label: 'Buch' })).body
    expect(receipt).toMatchObject({ currency: 'EUR', total: 11.9 })
    const lines: { label: string; amount: number; priceUsd: number }[] = receipt.lineItems
    expect(lines.map(({ label, amount }) => `${label} ${amount}`)).toEqual(['Buch 10', 'Tax 1.9'])
    const { usdPerUnit } = receipt.pricing.valuation
    expect(receipt.totalUsd).toBe(Math.round(11.9 * usdPerUnit * 100) / 100)
    const cents = lines.reduce((sum, { priceUsd }) => sum + Math.round(priceUsd * 100), 0)
    expect(cents).toBe(Math.round(receipt.totalUsd * 100))
  })

  test('an amount in dollars by `amount` is native at one to one', async () => {
    const { receipt } = (await sell({ amount: 10 })).body
    expect(receipt).toMatchObject({ currency: 'USD', total: 10, totalUsd: 10 })
    expect(receipt.pricing.valuation).toMatchObject({ usdPerUnit: 1, provider: 'identity' })
  })

  test('how the tax was arrived at stands in the detail view', async () => {
    const tax = { jurisdictionCode: 'de-be', taxComponents: ['MwSt'] }
    const { receipt } = (await sell({ amountUsd: 5, ...tax })).body
    const detail = await readReceipt(api, merchant, receipt.receiptId)
    expect(detail).toMatchObject({ ...tax, jurisdictionCode: 'DE-BE', taxRate: 0.19 })
  })

  test('the merchant’s own rate for a jurisdiction comes before the catalogue’s', async () => {
    const owner = await logInAs(api, merchant.wallet, 'owner')
    const taxRates = [{ jurisdictionCode: 'FR-75', rate: 0.055 }]
    expect((await api.call('POST', '/api/settings', { session: owner, body: { taxRates } })).status).toBe(200)
    const { receipt } = (await sell({ amountUsd: 100, jurisdictionCode: 'FR-75' })).body
    expect(receipt.totalUsd).toBe(105.5)
  })

  test('a wallet header is ignored: the merchant is the session’s', async () => {
    const other = await newMerchant()
    const response = await sell({ amountUsd: 5 }, cashier, { 'x-wallet': other.wallet })
    expect(response.status).toBe(200)
    const path = `/api/receipts/${response.body.receipt.receiptId}`
    expect((await api.call('GET', path, { key: merchant.key })).status).toBe(200)
    expect((await api.call('GET', path, { key: other.key })).status).toBe(404)
  })

  test('its webhooks are signed with the primary key of the oldest subscription', async () => {
    const { receipt } = (await sell({ amountUsd: 5, webhook_url: 'https://shop.example.com/hook' })).body
    const statement = {
      name: 'test-signing-slot',
      text: `SELECT k.slot, k.subscription_id FROM receipt r JOIN api_key k ON k.merchant = r.merchant AND k.id = r.key_id
        WHERE r.merchant = $1 AND r.id = $2`,
    }
    const row = await api.needs.db.row(statement, [merchant.wallet, receipt.receiptId])
    expect(row).toEqual({ slot: 'primary', subscription_id: merchant.subscriptionId })
  })

  test.each<MemberRole>(['owner', 'admin'])('an %s may too', async (role) => {
    expect((await sell({ amountUsd: 5 }, await logInAs(api, merchant.wallet, role))).status).toBe(200)
  })
})

describe('400 invalid_amount', () => {
  const noDollars = [0, -1, 1.001, '1', null, 1e12].map((amountUsd) => ({ amountUsd }))
  const noAmounts = [{}, { amount: 0 }, { amount: [] }, { amountUsd: 1, amount: 1 }]
  const tooMuch = { amountUsd: 1_000_000_000, taxRate: 0.1 }
  test.each([...noDollars, ...noAmounts, tooMuch, { amountUsd: 1, currency: 'EUR' }])('%j', async (body) => {
    expectApiError(await sell(body), 400, 'invalid_amount')
  })
})

describe('400 invalid_input', () => {
  const noCurrencies = ['GBP', 7].map((currency) => ({ amount: 1, currency }))
  const noFields = wrongFields({
    label: ['', 'x'.repeat(201)],
    jurisdictionCode: ['California', 'ZZ-1'],
    taxRate: [2, 0.1234567],
    taxComponents: ['state'],
    webhook_url: ['ftp://x'],
    expiresAt: [1],
  })
  test.each([
    ...noCurrencies,
    ...noFields.map(([, field]) => ({ amountUsd: 1, ...field })),
  ])('%j', async (body) => {
    expectApiError(await sell(body), 400, 'invalid_input')
  })
})

describe('who may not', () => {
  test('a merchant without a split: 403 split_required', async () => {
    const bare = await api.addMerchant()
    const session = await logInAs(api, bare.wallet, 'owner')
    expectApiError(await sell({ amountUsd: 5 }, session), 403, 'split_required')
  })

  test('a session that acts for no merchant: 400 wallet_required', async () => {
    expectApiError(await sell({ amountUsd: 5 }, await logIn(api, operator)), 400, 'wallet_required')
  })

  test('a key: 403; nobody: 401; a viewer or developer: 403', async () => {
    const body = { amountUsd: 5 }
    expect((await api.call('POST', '/api/receipts/terminal', { key: merchant.key, body })).status).toBe(403)
    expect((await api.call('POST', '/api/receipts/terminal', { body })).status).toBe(401)
    for (const role of ['viewer', 'developer'] as const)
      expect((await sell(body, await logInAs(api, merchant.wallet, role))).status).toBe(403)
  })
})

describe('GET /api/terminal/check-payment', () => {
  const check = (query: string, options: object) =>
    api.call('GET', `/api/terminal/check-payment${query}`, options)

  test('an unpaid receipt is not paid; a paid one is; a cashier and a key with receipts:read may ask', async () => {
    const { receiptId } = (await sell({ amountUsd: 5 })).body.receipt
    const before = await check(`?receiptId=${receiptId}`, { session: cashier })
    expect(before.body).toMatchObject({
      ok: true,
      paid: false,
      status: 'generated',
      transactionHash: null,
      payment: { state: 'none', finality: 'none' },
    })
    const owner = await logInAs(api, merchant.wallet, 'owner')
    await takeForPaid(api, merchant, owner, receiptId)
    const after = await check(`?receiptId=${receiptId}`, { key: merchant.key })
    expect(after.body).toMatchObject({ paid: true, status: 'paid' })
  })

  test('without an id missing_receipt_id, unknown not_found, nobody unauthorized, another scope forbidden', async () => {
    expect((await check('', { session: cashier })).body.error).toBe('missing_receipt_id')
    expect((await check('?receiptId=absent', { session: cashier })).status).toBe(404)
    expect((await check('?receiptId=absent', {})).status).toBe(401)
    const other = await api.addMerchant({ scopes: ['shop:read'] })
    expect((await check('?receiptId=absent', { key: other.key })).status).toBe(403)
  })
})

describe('a cashier', () => {
  const get = (path: string) => api.call('GET', path, { session: cashier })

  test('reads receipts, their status and their money, and neither exports nor follows them', async () => {
    const { receiptId } = (await sell({ amountUsd: 5 })).body.receipt
    for (const path of [
      `/status?receiptId=${receiptId}`,
      '',
      '/summary',
      `/${receiptId}`,
      `/${receiptId}/money`,
    ])
      expect([path, (await get(`/api/receipts${path}`)).status]).toEqual([path, 200])
    for (const path of [
      '/receipts/export',
      `/receipts/${receiptId}/timeline`,
      '/events',
      '/payments/unmatched',
    ])
      expect([path, (await get(`/api${path}`)).status]).toEqual([path, 403])
  })

  test('sees neither who bought nor what the merchant’s own systems noted', async () => {
    const body = {
      id: 'seen-by-cashier',
      lineItems: [{ label: 'Tea', priceUsd: 3 }],
      totalUsd: 3,
      billingAddressZip: 'SW1Y',
      providerEmail: 'buyer@example.com',
      metadata: { shelf: 'A-17' },
    }
    expect((await api.call('POST', '/api/receipts', { key: merchant.key, body })).status).toBe(201)
    const hidden = { billingAddress: null, providerEmail: null, metadata: null, privateReceiptUrl: null }
    const whole = (await api.call('GET', `/api/receipts/${body.id}`, { key: merchant.key })).body
    expect(whole).toMatchObject({ providerEmail: 'buyer@example.com', metadata: { shelf: 'A-17' } })
    expect(whole.billingAddress).toMatchObject({ zip: 'SW1Y' })
    expect((await get(`/api/receipts/${body.id}`)).body).toEqual({ ...whole, ...hidden })
  })
})
