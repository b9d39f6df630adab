import { parsePaymentRequired } from '@x402/core/schemas'
import { describe, expect, test } from 'vitest'
import { addApiDocument } from '../../../src/app/openapi/api-document.ts'
import { addRealPages } from '../../support/api/pages.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { encodePayment, startPrograms } from '../../support/chain/programs.ts'
import { perFile } from '../../support/per-file.ts'

const site = { baseUrl: 'https://pay.example.com', version: '1.2.3' }
const context = perFile(() =>
  startPrograms({
    async extend(app, routes, made) {
      await addRealPages(app, routes, made)
      await addApiDocument(app, routes, site, made.parts.random)
    },
  }),
)
let count = 0
const newId = () => `bill-${++count}`
const open = async (totalUsd = 10, more = {}) => {
  const id = newId()
  await context.newReceipt(id, totalUsd, more)
  return id
}

describe('a payment URL', () => {
  test('tells a program what is to be paid, in the header and in the body', async () => {
    const id = await open(12.34)
    const reply = await context.ask(context.payUrl(id))
    const { attempt } = await context.checkout(id)
    expect(reply.status).toBe(402)
    expect(reply.required).toEqual({
      x402Version: 2,
      error: 'PAYMENT-SIGNATURE header is required',
      resource: {
        url: `https://pay.example.com/pay/${id}?recipient=${context.merchant.wallet}`,
        description: `Sluice, receipt ${id}`,
        mimeType: 'application/json',
      },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:31337',
          amount: '12340000',
          asset: context.tokenAddress('USDC'),
          payTo: attempt?.depositAddress,
          maxTimeoutSeconds: 300,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
    })
    expect(parsePaymentRequired(reply.required).success).toBe(true)
    const { receipt, ...body } = reply.body
    expect(body).toEqual(reply.required)
    expect(receipt).toMatchObject({ receiptId: id, status: 'pending', customerTotalUsd: 12.34 })
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  test('is asked for as often as one likes: the offer stands, and no status changes', async () => {
    const id = await open()
    const [first, second] = [await context.ask(context.payUrl(id)), await context.ask(context.payUrl(id))]
    expect(second.required).toEqual(first.required)
    expect(await context.status(id)).toBe('pending')
    const attempts = await context.rows(`SELECT asked_at FROM attempt WHERE receipt_id = $1`, [id])
    expect(attempts).toEqual([{ asked_at: null }])
  })

  test('asks for what is still missing where part of it came', async () => {
    const id = await open(20)
    const attempt = await context.attempt(id, 'USDC')
    await context.payAndScan(attempt, 'transfer', 5_000_000n)
    const { required } = await context.ask(context.payUrl(id))
    expect(required.accepts).toMatchObject([{ amount: '15000000', payTo: attempt.depositAddress }])
  })

  test('is a page for browsers, previews and whoever takes anything, and says where programs read', async () => {
    const id = await open()
    for (const accept of ['text/html,*/*;q=0.8', '*/*']) {
      const page = await fetch(context.payUrl(id), { headers: { accept } })
      expect(page.headers.get('content-type')).toContain('text/html')
      expect(page.status).toBe(200)
      expect(page.headers.get('link')).toContain('rel="alternate"; type="application/json"')
      expect(page.headers.get('access-control-allow-origin')).toBeNull()
      const [, alternate = ''] = /^<([^>]+)>/.exec(page.headers.get('link') ?? '') ?? []
      expect((await context.ask(context.api.url + alternate)).status).toBe(402)
    }
  })

  test('may be read and paid by programs of any origin, without credentials', async () => {
    const id = await open()
    const { headers } = await context.ask(context.payUrl(id))
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED, PAYMENT-RESPONSE')
    const asked = await fetch(context.payUrl(id), {
      method: 'OPTIONS',
      headers: { origin: 'https://agent.example', 'access-control-request-method': 'GET' },
    })
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-headers')).toContain('PAYMENT-SIGNATURE')
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET')
  })

  test('of another merchant, or of nobody, is not found', async () => {
    const id = await open()
    const elsewhere = `${context.api.url}/portal/${id}?recipient=${newWallet().wallet}`
    for (const url of [elsewhere, `${context.api.url}/pay/${id}`, context.payUrl('nothing')])
      expect(await context.ask(url)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

test('what /llms.txt says is short, and every address in it answers', async () => {
  const response = await fetch(`${context.api.url}/llms.txt`)
  const text = await response.text()
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(text.length).toBeLessThan(3_000)
  expect(text.split('\n')[0]).toBe('# Sluice')
  const addresses = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address ?? '')
  expect(addresses).toHaveLength(4)
  for (const address of addresses)
    expect([address, (await fetch(new URL(address, context.api.url))).status]).toEqual([address, 200])
  const id = await open()
  for (const path of text.match(/`\/(?:portal|pay)\/[^`]+`/g) ?? []) {
    const target = path
      .slice(1, -1)
      .replace('<receipt id>', id)
      .replace('<merchant wallet>', context.merchant.wallet)
    const url = new URL(target, context.api.url)
    url.searchParams.set('recipient', context.merchant.wallet)
    expect((await context.ask(url.href)).status).toBe(402)
  }
})

describe('a receipt that is not to be paid', () => {
  test('tells what was paid once it is', async () => {
    const id = await open(10)
    const { hash } = await context.payAndScan(await context.attempt(id, 'USDC'), 'call')
    const reply = await context.ask(context.payUrl(id))
    expect(reply).toMatchObject({ status: 200, required: undefined })
    const payment = { state: 'paid', token: 'USDC', received: '10000000', transactionHash: hash }
    expect(reply.body).toMatchObject({ paid: true, receipt: { status: 'paid', payment } })
  })

  test('asks nobody for money that is already on its way', async () => {
    const id = await open(5_000)
    await context.payAndScan(await context.attempt(id, 'USDC'), 'transfer')
    expect(await context.status(id)).toBe('pending')
    const reply = await context.ask(context.payUrl(id))
    expect(reply).toMatchObject({ status: 202, required: undefined })
    expect(reply.headers.get('retry-after')).toBe('2')
    expect(reply.body).toMatchObject({ paid: false, receipt: { payment: { state: 'seen' } } })
  })

  test('is gone where its merchant cancelled it, or its time is over', async () => {
    const cancelled = await open()
    await context.api.call('POST', `/api/receipts/${cancelled}/cancel`, { key: context.merchant.key })
    const cancelledReply = await context.ask(context.payUrl(cancelled))
    expect(cancelledReply).toMatchObject({ status: 410, required: undefined })
    expect(cancelledReply.body).toMatchObject({ error: 'receipt_cancelled' })
    const expired = await open(10, { expiresAt: context.api.needs.chain.time.now() + 60_000 })
    await context.passTime(120)
    const expiredReply = await context.ask(context.payUrl(expired))
    expect(expiredReply).toMatchObject({ status: 410, body: { error: 'receipt_expired' } })
  })

  test('asks for money after whatever a provider declined: it decides about itself alone', async () => {
    const { wallet } = context.merchant
    const fail = async (failureCode: 'PORTAL_PAY_SANCTIONS_MATCH' | 'PORTAL_PAY_CARD_EXPIRED') => {
      const id = await open()
      const failure = { failureCode, failureCategory: 'compliance', providerRequestId: null }
      await context.api.move(wallet, id, 'failure_verified', { failure } as never)
      return context.ask(context.payUrl(id))
    }
    for (const code of ['PORTAL_PAY_SANCTIONS_MATCH', 'PORTAL_PAY_CARD_EXPIRED'] as const)
      expect((await fail(code)).status).toBe(402)
  })

  test('says so where its merchant takes no payments yet, or it is outside the limits', async () => {
    const other = await context.api.addMerchant()
    const body = { id: 'early', lineItems: [{ label: 'Thing', priceUsd: 5 }], totalUsd: 5 }
    await context.api.call('POST', '/api/receipts', { key: other.key, body })
    const reply = await context.ask(`${context.api.url}/portal/early?recipient=${other.wallet}`)
    expect(reply).toMatchObject({ status: 403, body: { error: 'split_required' } })
    const large = await open(9_000_000)
    const refused = await context.ask(context.payUrl(large))
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_amount' } })
    expect(await context.status(large)).toBe('pending')
  })
})

describe('where nobody submits signatures', () => {
  const without = perFile(() => startPrograms({ relayerKey: undefined as never }))

  test('nothing is accepted by signature, and the answer says what to do instead', async () => {
    await without.newReceipt('alone', 10)
    const reply = await without.ask(without.payUrl('alone'))
    expect(reply.status).toBe(402)
    expect(reply.required.accepts).toEqual([])
    expect(reply.required.error).toContain('/api/checkout/{id}/attempts')
  })

  test('an amount below what the relayer pays gas for is not offered by signature', async () => {
    await context.newReceipt('tiny', 0.05)
    expect((await context.ask(context.payUrl('tiny'))).required.accepts).toEqual([])
  })
})

test('what is no payment is refused, and changes nothing', async () => {
  const id = await open()
  const before = await context.ask(context.payUrl(id))
  const hostile = [
    'not base64!',
    encodePayment({ x402Version: 1 }),
    encodePayment({ x402Version: 2 }),
    'A'.repeat(9_000),
    Buffer.from(`${'['.repeat(3_000)}`).toString('base64'),
    encodePayment({ x402Version: 2, accepted: before.required.accepts[0], payload: { authorization: 1 } }),
  ]
  for (const payment of hostile) {
    const reply = await context.ask(context.payUrl(id), payment)
    expect(reply.status).toBe(400)
    expect(reply.response).toMatchObject({ success: false, transaction: '', network: 'eip155:31337' })
    expect(['invalid_payload', 'invalid_x402_version']).toContain(reply.response.errorReason)
    expect(reply.body.error).toBe(reply.response.errorReason)
  }
  const twice = await fetch(context.payUrl(id), {
    headers: [
      ['accept', 'application/json'],
      ['payment-signature', encodePayment({ x402Version: 2 })],
      ['payment-signature', encodePayment({ x402Version: 2 })],
    ],
  })
  expect(twice.status).toBe(400)
  const earlier = await fetch(context.payUrl(id), {
    headers: { 'x-payment': encodePayment({ x402Version: 1 }) },
  })
  expect(await earlier.json()).toMatchObject({ error: 'invalid_x402_version' })
  const huge = await fetch(context.payUrl(id), { headers: { 'payment-signature': 'A'.repeat(20_000) } })
  expect(huge.status).toBe(400)
  expect((await context.ask(context.payUrl(id))).required).toEqual(before.required)
})
