import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NudgeListener } from '../../../src/platform/database/notify.ts'
import type { OutboundOutcome } from '../../../src/platform/outbound/outbound.ts'
import { until } from '../../../src/platform/process/process.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

let meddle: (() => Promise<OutboundOutcome>) | undefined
const away: OutboundOutcome = { kind: 'error', error: 'network', detail: 'ECONNREFUSED' }
afterEach(() => {
  meddle = undefined
})
const context = perFile(() =>
  startPayments({
    orderMinCents: 100n,
    orderMaxCents: 1_000_000n,
    outbound: (real) => ({ request: (request) => meddle?.() ?? real.request(request) }),
  }),
)
let count = 0

// The chain uses the machine's time, so an earlier test's clock may differ from it.
beforeEach(() => context.syncClock())

const post = (id: string, body: unknown, recipient: string = context.merchant.wallet) =>
  context.api.call('POST', `/api/checkout/${id}/attempts?recipient=${recipient}`, { body })

async function newReceipt(usd = 10, more: Record<string, unknown> = {}): Promise<string> {
  const id = `receipt-${++count}`
  await context.newReceipt(id, usd, more)
  return id
}

describe('201', () => {
  test('an offer holds 15 minutes and can be paid by calls, by address and by QR', async () => {
    const id = await newReceipt(12.5)
    const { status, body } = await post(id, { token: 'USDC' })
    expect(status).toBe(201)
    const usdc = context.tokenAddress('USDC')
    expect(body).toMatchObject({
      token: 'USDC',
      amount: '12500000',
      remaining: '12500000',
      rate: { usdPerUnit: 1, provider: 'fixed' },
      expiresAt: context.api.clock.now() + 900_000,
      reference: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      eip681: `ethereum:${usdc}@31337/transfer?address=${body.depositAddress}&uint256=12500000`,
    })
    const calls = body.calls.map((call: { kind: string; to: string }) => `${call.kind} ${call.to}`)
    expect(calls).toEqual([`approve ${usdc}`, `pay ${body.payTo}`])
  })

  test('coin is one call with a value', async () => {
    const { body } = await post(await newReceipt(25), { token: 'ETH' })
    expect(body.amount).toBe('10000000000000000')
    expect(body.calls).toMatchObject([{ kind: 'pay', to: body.payTo, value: '0x2386f26fc10000' }])
    expect(body.eip681).toBe(`ethereum:${body.depositAddress}@31337?value=10000000000000000`)
  })

  test('the amount is rounded up to the next unit, never down', async () => {
    const { body } = await post(await newReceipt(10.01), { token: 'cbBTC' })
    // 10.01 / 60,000 BTC is 16,683.33 satoshi.
    expect(body.amount).toBe('16684')
  })

  test('twenty callers at once get one offer, and so does who comes again', async () => {
    const id = await newReceipt()
    const responses = await Promise.all(Array.from({ length: 20 }, () => post(id, { token: 'USDC' })))
    expect(new Set(responses.map(({ body }) => body.reference)).size).toBe(1)
    expect((await post(id, { token: 'USDC' })).body.attemptId).toBe(responses[0]?.body.attemptId)
    expect((await post(id, { token: 'USDT' })).body.attemptId).not.toBe(responses[0]?.body.attemptId)
  })

  test('a payer who has approved enough is not asked to approve again', async () => {
    const first = await post(await newReceipt(), { token: 'USDC', payer: context.buyer.address })
    expect(first.body.calls).toHaveLength(2)
    await approve('USDC', first.body.payTo, 10_000_000n)
    const enough = await post(await newReceipt(10), { token: 'USDC', payer: context.buyer.address })
    expect(enough.body.calls.map((call: { kind: string }) => call.kind)).toEqual(['pay'])
    const less = await post(await newReceipt(11), { token: 'USDC', payer: context.buyer.address })
    expect(less.body.calls.map((call: { kind: string }) => call.kind)).toEqual(['approve', 'approve', 'pay'])
  })

  test('without a payer it is made although the chain hangs: the payment is found later', async () => {
    meddle = () => new Promise(() => {})
    expect((await post(await newReceipt(), { token: 'USDC' })).status).toBe(201)
  })

  test('when the quote has ended another offer is made', async () => {
    const id = await newReceipt()
    const first = await post(id, { token: 'USDC' })
    await context.api.clock.advance(900_000)
    const second = await post(id, { token: 'USDC' })
    expect(second.body.reference).not.toBe(first.body.reference)
  })

  test('an offer does not outlive its receipt', async () => {
    const expiresAt = context.api.clock.now() + 60_000
    const { body } = await post(await newReceipt(10, { expiresAt }), { token: 'USDC' })
    expect(body.expiresAt).toBe(expiresAt)
  })

  test('a receipt that was replaced is offered at its new total, and the old offer is gone', async () => {
    const id = await newReceipt(10)
    const first = await post(id, { token: 'USDC' })
    await context.newReceipt(id, 30)
    expect((await context.checkout(id)).attempt).toBeNull()
    const second = await post(id, { token: 'USDC' })
    expect(second.body).toMatchObject({ amount: '30000000' })
    await context.pay(first.body, 'transfer')
    await context.mine()
    await context.scan()
    expect(await context.checkout(id)).toMatchObject({
      status: 'pending',
      payment: { state: 'short', missing: '20000000' },
      attempt: { remaining: '20000000' },
    })
  })
})

describe('400', () => {
  test.each([
    [{ token: 'DOGE' }, 'token'],
    [{ token: 'usdc' }, 'token'],
    [{ token: 'USDC', payer: '0x12' }, 'payer'],
  ])('%j is refused', async (body, path) => {
    const response = await post(await newReceipt(), body)
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_input', issues: [{ path }] } })
  })

  test.each([
    [0.99, 'PORTAL_PAY_AMOUNT_BELOW_MINIMUM'],
    [10_000.01, 'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM'],
  ])('a total of %s is outside the limits: the receipt has failed, and the merchant is told once', async (usd, code) => {
    const id = await newReceipt(usd)
    const nudges = await listen()
    const apiError = { error: 'invalid_amount', failureCode: code, failureCategory: 'limits' }
    for (let time = 0; time < 2; time++)
      expect(await post(id, { token: 'USDC' })).toMatchObject({ status: 400, body: apiError })
    const failure = { code, category: 'limits', providerRequestId: null }
    expect(await context.checkout(id)).toMatchObject({ status: 'failed', failure })
    const reported = (await context.messages(id)).map(({ body }) => [body.status, body.failureCode])
    expect(reported).toEqual([['failed', code]])
    expect(await nudges.until('deliver-webhooks')).toBe(true)
  })

  test('a receipt that is paid, or that has expired, is offered no more', async () => {
    const paid = await newReceipt()
    await context.pay((await post(paid, { token: 'USDC' })).body, 'transfer')
    await context.mine()
    await context.scan()
    expectApiError(await post(paid, { token: 'USDC' }), 400, 'invalid_input')
    // The chain's time, which determines the expiry, may be some seconds ahead.
    const expired = await newReceipt(10, { expiresAt: context.api.clock.now() + 60_000 })
    await context.api.clock.advance(60_000)
    expectApiError(await post(expired, { token: 'USDC' }), 400, 'invalid_input')
  })
})

test('403 split_required while the merchant has no split', async () => {
  const other = await context.api.addMerchant()
  await makeReceipt(context.api, other, receiptBody('no-split', 10))
  expectApiError(await post('no-split', { token: 'USDC' }, other.wallet), 403, 'split_required')
  const view = await context.api.call('GET', `/api/checkout/no-split?recipient=${other.wallet}`)
  expect(view.body).toMatchObject({ canPay: false, payment: { state: 'none' } })
})

describe('404', () => {
  test('for an unknown receipt, another recipient, none at all, and what is no wallet', async () => {
    const id = await newReceipt()
    const other = await context.api.addMerchant()
    const own = `unknown?recipient=${context.merchant.wallet}`
    for (const path of [own, `${id}?recipient=${other.wallet}`, id, `${id}?recipient=me`])
      expectApiError(await context.api.call('GET', `/api/checkout/${path}`), 404, 'not_found', path)
    expect((await post(id, { token: 'USDC' }, other.wallet)).status).toBe(404)
  })
})

describe('GET /api/checkout/{id}', () => {
  test('tells a buyer nothing of billing, e-mail or metadata', async () => {
    const id = await newReceipt(10, {
      billingEmail: 'private@example.com',
      billingFirstName: 'Privata',
      metadata: { cost: 'secret-7' },
      transactionId: 'secret-8',
    })
    const path = `/api/checkout/${id}?recipient=${context.merchant.wallet}`
    const { text, body } = await context.api.call('GET', path)
    expect(text).not.toMatch(/private@|Privata|secret-|webhook|merchant\.example/)
    expect(body).toMatchObject({ receiptId: id, recipient: context.merchant.wallet, canPay: true })
    const symbols = body.tokens.map(({ symbol }: { symbol: string }) => symbol)
    expect(symbols).toEqual(['USDC', 'USDT', 'ETH', 'cbBTC', 'cbXRP'])
  })

  test('gives the return address only once it is paid', async () => {
    const id = await newReceipt(10, { returnUrl: 'https://shop.example.com/thanks' })
    expect((await context.checkout(id)).returnUrl).toBeNull()
    await context.pay(await context.attempt(id, 'USDC'), 'transfer')
    await context.mine()
    await context.scan()
    expect((await context.checkout(id)).returnUrl).toBe('https://shop.example.com/thanks')
  })
})

test('a hint is taken for any transaction and proves nothing', async () => {
  const id = await newReceipt()
  const path = `/api/checkout/${id}/hint?recipient=${context.merchant.wallet}`
  const response = await context.api.call('POST', path, { body: { transactionHash: `0x${'ab'.repeat(32)}` } })
  expect(response).toMatchObject({ status: 200, body: { ok: true } })
  expect((await context.api.call('POST', path, { body: { transactionHash: '0x12' } })).status).toBe(400)
  expect(await context.status(id)).toBe('pending')
})

async function listen() {
  const heard: string[] = []
  const url = context.api.database.url
  const listener = new NudgeListener({ ...context.needs, url, onNudge: (name) => heard.push(name) })
  await listener.open()
  return {
    async until(name: string): Promise<boolean> {
      const isHeard = await until(() => heard.includes(name), 5_000)
      await listener.close()
      // Ends the pause after a notification, before the next test sets the clock back.
      await context.api.clock.advance(1_000)
      return isHeard
    },
  }
}

async function approve(symbol: TokenSymbol, spender: Hex, units: bigint) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, units] })
  await context.send({ to: context.tokenAddress(symbol), data })
  await context.mine()
}

describe('503 for a payer, and nothing is stored,', () => {
  test('within three seconds while the chain hangs', async () => {
    const [asked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<OutboundOutcome>()]
    meddle = () => {
      asked.resolve()
      return over.promise
    }
    const id = await newReceipt()
    const posting = post(id, { token: 'USDC', payer: context.buyer.address })
    await asked.promise
    await context.api.clock.advance(3_000)
    expectApiError(await posting, 503, 'chain_unavailable')
    expect((await context.checkout(id)).attempt).toBeNull()
    over.resolve(away)
  })

  test('while no endpoint can be reached', async () => {
    const id = await newReceipt()
    meddle = () => Promise.resolve(away)
    expectApiError(await post(id, { token: 'USDC', payer: context.buyer.address }), 503, 'chain_unavailable')
    expect((await context.checkout(id)).attempt).toBeNull()
  })
})
