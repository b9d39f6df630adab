import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findReceiptView } from '../../../src/payments/tracking/find-receipt-view.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs } from '../../support/api/sessions.ts'
import { always } from '../../support/chain/chain-api.ts'
import { type PaymentContext, startPayments } from '../../support/chain/payments.ts'
import { settlingWork } from '../../support/chain/settlement.ts'

let context: PaymentContext
beforeAll(async () => {
  context = await startPayments({ policy: always('seen') })
})
afterAll(() => context?.stop())

const billing = {
  billingFirstName: 'Ada',
  billingLastName: 'Lovelace',
  billingEmail: 'ada@example.com',
  billingAddressLine1: '12 St James Square',
  billingAddressPostalCode: 'SW1Y 4LB',
  billingAddressCity: 'London',
  billingAddressCountry: 'GB',
  metadata: { secret: 'nobody else’s' },
}
const see = (id: string, asked: { recipient?: string; access?: string } = {}) =>
  findReceiptView(context.needs, id, {
    recipient: context.merchant.wallet,
    host: undefined,
    access: undefined,
    ...asked,
  })
const states = async (id: string) => (await see(id)).tracker?.steps.map(({ state }) => state)
const urlsOf = async (id: string) => {
  const { receiptUrl, privateReceiptUrl } = await context.detail(id)
  return { receiptUrl, privateReceiptUrl }
}
const accessOf = async (id: string) =>
  new URL((await urlsOf(id)).privateReceiptUrl).searchParams.get('access') ?? ''

describe('GET /api/receipts/{id}', () => {
  test('names the page of the receipt, and no private one where there is nothing private', async () => {
    await context.newReceipt('plain/1', 10)
    expect(await urlsOf('plain%2F1')).toEqual({
      receiptUrl: `https://pay.example.com/receipt/plain%2F1?recipient=${context.merchant.wallet}`,
      privateReceiptUrl: null,
    })
    const { paymentUrl } = await context.detail('plain%2F1')
    expect(paymentUrl).toBe(`https://pay.example.com/pay/plain%2F1?recipient=${context.merchant.wallet}`)
  })

  test('names a signed link beside it where the receipt knows its buyer, the same for key and session', async () => {
    await context.newReceipt('billed', 10, billing)
    const { receiptUrl, privateReceiptUrl } = await urlsOf('billed')
    expect(privateReceiptUrl).toMatch(/&access=[0-9a-z]+\.[0-9a-f]{64}$/)
    expect(privateReceiptUrl.startsWith(`${receiptUrl}&access=`)).toBe(true)
    const session = await logInAs(context.api, context.merchant.wallet, 'viewer')
    const seen = await context.api.call('GET', '/api/receipts/billed', { session })
    expect(seen.body.privateReceiptUrl).toBe(privateReceiptUrl)
  })

  test('is the only place that has it: no list, no checkout, no webhook', async () => {
    await context.newReceipt('only-here', 10, billing)
    const attempt = await context.attempt('only-here', 'USDC')
    await context.pay(attempt, 'call')
    await context.mine(2)
    await context.scan()
    const key = context.merchant.key
    const list = await context.api.call('GET', '/api/receipts?limit=200', { key })
    const checkout = await context.checkout('only-here')
    const messages = await context.messages('only-here')
    expect(messages.length).toBeGreaterThan(0)
    for (const text of [
      list.text,
      JSON.stringify(checkout),
      JSON.stringify(messages.map(({ body }) => body)),
    ])
      expect(text).not.toContain('access=')
  })
})

describe('what the page of a receipt is given', () => {
  test('of one that is not paid is that, and nothing of the buyer', async () => {
    await context.newReceipt('unpaid', 10, billing)
    const view = await see('unpaid')
    expect(view).toMatchObject({ standing: 'unpaid', paidAt: null, payments: [], tracker: null, buyer: null })
    expect(JSON.stringify(view)).not.toMatch(/\bada\b|Lovelace|James|secret/i)
  })

  test('holds the buyer for who has the signed link of this very receipt, and for nobody else', async () => {
    await context.newReceipt('mine', 10, billing)
    await context.newReceipt('other', 10, billing)
    const access = await accessOf('mine')
    expect((await see('mine', { access })).buyer).toEqual({
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      phone: null,
      address: ['12 St James Square', 'SW1Y 4LB London', 'GB'],
    })
    expect(JSON.stringify(await see('mine', { access }))).not.toContain('secret')
    const plain = JSON.stringify(await see('mine'))
    for (const wrong of ['', 'x', `${access}0`, access.toUpperCase(), await accessOf('other')])
      expect(JSON.stringify(await see('mine', { access: wrong }))).toBe(plain)
  })

  test('is the public one again once the link has ended', async () => {
    await context.newReceipt('ends', 10, billing)
    const access = await accessOf('ends')
    const now = context.api.clock.now()
    context.api.clock.jumpTo(now + 91 * 86_400_000)
    expect((await see('ends', { access })).buyer).toBeNull()
    context.api.clock.jumpTo(now)
    expect((await see('ends', { access })).buyer).not.toBeNull()
  })

  test('is nothing under another wallet, under none, or under an id there is not', async () => {
    await context.newReceipt('tenant', 10, billing)
    const stranger = await context.api.addMerchant()
    const access = await accessOf('tenant')
    const error = expect.objectContaining({ code: 'not_found' })
    await expect(see('tenant', { recipient: stranger.wallet, access })).rejects.toEqual(error)
    await expect(see('none', { access })).rejects.toEqual(error)
    const nobody = findReceiptView(context.needs, 'tenant', { recipient: undefined, host: undefined, access })
    await expect(nobody).rejects.toEqual(error)
  })

  test('of an order has the tax apart; a line that a caller named Tax stays a line', async () => {
    const lineItems = [
      { label: 'Tea', priceUsd: 9 },
      { label: 'Tax', priceUsd: 1 },
    ]
    await context.newReceipt('tax-line', 10, { lineItems })
    expect(await see('tax-line')).toMatchObject({ tax: null, lines: [{ label: 'Tea' }, { label: 'Tax' }] })
    const session = await logInAs(context.api, context.merchant.wallet, 'owner')
    const terminal = await context.api.call('POST', '/api/receipts/terminal', {
      session,
      body: { amountUsd: 40, label: 'Lunch', taxRate: 0.075 },
    })
    const view = await see(terminal.body.receipt.receiptId)
    expect(view.lines).toEqual([{ label: 'Lunch', qty: null, amount: 40 }])
    expect(view.tax).toEqual({ amount: 3, rate: 0.075, jurisdictionCode: null })
    expect(view.totals).toMatchObject({ total: 43, customerTotalUsd: 43 })
  })
})

describe('the way of the money', () => {
  test.each(['call', 'transfer'] as const)('of a %s is followed until every part is out', async (way) => {
    const id = `way-${way}`
    await context.newReceipt(id, 80)
    const attempt = await context.attempt(id, 'USDC')
    const { hash } = await context.pay(attempt, way)
    await context.mine()
    await context.scan()
    expect(await states(id)).toEqual(['done', 'done', 'now', 'waiting'])
    const paid = await see(id)
    expect(paid.standing).toBe('paid')
    expect(paid.payments).toEqual([
      expect.objectContaining({
        transactionHash: hash,
        payer: context.buyer.address,
        amount: '80000000',
        token: 'USDC',
        isLate: false,
        isReversed: false,
        rate: expect.objectContaining({ unit: 'USDC', usdPerUnit: 1, provider: expect.any(String) }),
      }),
    ])
    expect(paid.tracker?.parts.map(({ state, units }) => [state, units])).toEqual([
      ['waiting', null],
      ['waiting', null],
    ])

    await context.mine(6)
    await context.scan()
    expect((await states(id))?.slice(0, 3)).toEqual(['done', 'done', 'done'])
    for (let round = 0; round < 4; round++) {
      await context.syncClock()
      await context.run(...settlingWork)
      await context.mine(6)
      await context.scan()
    }
    await context.syncClock()
    await context.run(jobNames.scanDistributions, jobNames.reconcileReceipts)
    expect(await context.status(id)).toBe('reconciled')
    const done = await see(id)
    expect(done.tracker?.steps.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done'])
    expect(done.tracker?.steps[3]?.at).toEqual(expect.any(Number))
    const parts = done.tracker?.parts ?? []
    expect(parts.map(({ sharesBps, isPlatform, state }) => [sharesBps, isPlatform, state])).toEqual([
      [9_950, false, 'released'],
      [50, true, 'released'],
    ])
    const sum = parts.reduce((total, { units }) => total + (units ?? 0n), 0n)
    expect(sum).toBeGreaterThanOrEqual(79_999_999n)
    expect(sum).toBeLessThanOrEqual(80_000_001n)
    for (const { transactionHash } of parts) {
      const found = await context.chain.client.getTransactionReceipt({
        hash: transactionHash as `0x${string}`,
      })
      expect(found.status).toBe('success')
    }
  })

  test('of a payment in two steps shows both, and each at its own rate', async () => {
    await context.newReceipt('two-steps', 50)
    const attempt = await context.attempt('two-steps', 'USDC')
    await context.pay(attempt, 'transfer', 20_000_000n)
    await context.mine()
    await context.scan()
    expect(await see('two-steps')).toMatchObject({ standing: 'unpaid' })
    expect(await states('two-steps')).toEqual(['done', 'done', 'now', 'waiting'])
    await context.pay(await context.attempt('two-steps', 'USDC'), 'transfer', 30_000_000n)
    await context.mine()
    await context.scan()
    const { payments, standing } = await see('two-steps')
    expect(standing).toBe('paid')
    expect(payments.map(({ amount }) => amount)).toEqual(['20000000', '30000000'])
  })

  test('dust does not hide the payment, nor make the page large', async () => {
    await context.newReceipt('dust', 30)
    const attempt = await context.attempt('dust', 'USDC')
    for (let i = 0; i < 40; i++)
      await context.transfer(context.tokenAddress('USDC'), attempt.depositAddress as `0x${string}`, 1n)
    await context.pay(attempt, 'transfer', 30_000_000n)
    await context.mine()
    await context.scan()
    const { payments, paymentsOmitted } = await see('dust')
    expect(payments).toHaveLength(20)
    expect(paymentsOmitted).toBe(21)
    expect(payments.map(({ amount }) => amount)).toContain('30000000')
  })

  test('a refund is told as soon as it is logged, and one that is none is not', async () => {
    await context.newReceipt('refunded', 20)
    const attempt = await context.attempt('refunded', 'USDC')
    await context.pay(attempt, 'call')
    await context.mine()
    await context.scan()
    await context.syncClock()
    const session = await logInAs(context.api, context.merchant.wallet, 'owner')
    const refund = (more: object) =>
      context.api.call('POST', '/api/receipts/refund', {
        session,
        body: {
          receiptId: 'refunded',
          wallet: context.merchant.wallet,
          buyer: context.buyer.address,
          ...more,
        },
      })
    expect((await refund({ usd: 5 })).status).toBe(200)
    expect(await see('refunded')).toMatchObject({
      standing: 'partly-refunded',
      refunds: [{ kind: 'price', usd: 5, transactionHash: null, state: 'recorded' }],
    })
    const other = await context.transfer(context.tokenAddress('USDC'), context.merchant.wallet, 1n)
    await context.mine(6)
    expect((await refund({ usd: 6, txHash: other.hash })).status).toBe(200)
    // Both entries have the same millisecond timestamp, so their order is undefined.
    const reported = (await see('refunded')).refunds.map(({ state }) => state)
    expect(reported.toSorted()).toEqual(['recorded', 'sent'])
    context.api.clock.jumpTo(context.api.clock.now() + 3_000)
    await context.run(jobNames.verifyRefunds)
    expect((await see('refunded')).refunds.map(({ state }) => state)).toEqual(['recorded'])
    expect((await refund({ usd: 15 })).status).toBe(200)
    expect(await see('refunded')).toMatchObject({ standing: 'refunded' })
  })
})
