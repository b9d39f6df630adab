import { noFailure } from '@sluice/protocol/failures.ts'
import { addMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startOnrampApi } from '../../support/api/onramp.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startOnrampApi)
const apiError = async (id: string) => {
  const { status, body } = await context.startCard(id)
  return [status, body.error, body.message]
}
const madeOf = async (usd: number, fields: object = {}) => {
  const body = receiptBody(`sum-${usd}-${Object.keys(fields)}`, usd, fields)
  expect((await context.post('/api/receipts', body)).status).toBe(201)
  return body.id
}

test('the order covers what the customer owes, goes to an address of its own, and is filled in', async () => {
  const id = await context.newReceipt({
    redirect_url: 'https://shop.example.com/back',
    providerEmail: 'card@example.com',
    billingEmail: 'bill@example.com',
    billingFirstName: 'Ada',
    billingAddressCountry: 'US',
  })
  const wallet = await context.ask(id)
  const { status, body } = await context.startCard(id)
  expect(status).toBe(201)
  const order = context.provider.orders.get(body.providerSessionId)
  expect(order).toMatchObject({
    amount: { asset: 'USDC', units: 3_500_000n, decimals: 6 },
    dueCents: 350n,
    chainId: 31337,
    redirectUrl: 'https://shop.example.com/back',
    email: 'card@example.com',
    billing: { firstName: 'Ada', country: 'US', email: 'bill@example.com' },
    clientAddress: '127.0.0.1',
  })
  expect(order?.depositAddress).toMatch(/^0x[0-9a-f]{40}$/i)
  expect(order?.depositAddress).not.toBe(wallet.body.depositAddress)
  expect(body).toMatchObject({ provider: 'paper', amount: '3500000' })
  const checkout = await context.get(`/api/checkout/${id}?recipient=${context.merchant.wallet}`)
  expect(checkout.body.onramp).toEqual({ provider: 'paper', methods: ['card', 'ach'], session: 'open' })
  expect(checkout.body.attempt.attemptId).toBe(wallet.body.attemptId)
  expect(await context.detail(id)).toMatchObject({
    providerSessionId: body.providerSessionId,
    isProviderSessionUnique: true,
    payment: { provenBy: null },
  })
})

test('asked again, also at the same moment, it is the same session; two receipts have two', async () => {
  const id = await context.newReceipt()
  const responses = await Promise.all([1, 2, 3, 4].map(() => context.startCard(id)))
  responses.push(await context.startCard(id))
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(201))
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
  const other = await context.newCardReceipt()
  expect(other.sessionId).not.toBe(responses[0]?.body.providerSessionId)
})

test('a session whose answer was lost is found again by the next call: nothing is opened twice', async () => {
  const id = await context.newReceipt()
  const before = context.provider.orders.size
  context.provider.fail('lose-response')
  const lost = await context.startCard(id)
  context.provider.fail(undefined)
  expect([lost.status, lost.body.error]).toEqual([503, 'provider_unavailable'])
  const again = await context.startCard(id)
  expect([again.status, again.body.providerSessionId]).toEqual([201, context.provider.last()])
  expect(context.provider.orders.size).toBe(before + 1)
  expect(await context.status(id)).toMatchObject({ status: 'pending', ...noFailure })
})

test('a provider that is away leaves the receipt as it is, to be paid in another way', async () => {
  const id = await context.newReceipt()
  context.provider.fail('away')
  const away = await context.startCard(id)
  context.provider.fail(undefined)
  expect([away.status, away.body.error]).toEqual([503, 'provider_unavailable'])
  expect((await context.status(id)).status).toBe('pending')
  expect((await context.ask(id)).status).toBe(201)
})

test('below the minimum and above the maximum the receipt fails with its limit, and one webhook', async () => {
  for (const [usd, failureCode] of [
    [6_000, 'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM'],
    [0.99, 'PORTAL_PAY_AMOUNT_BELOW_MINIMUM'],
  ] as const) {
    const id = await madeOf(usd)
    const { status, body } = await context.startCard(id)
    expect([status, body.error, body.failureCode]).toEqual([400, 'invalid_amount', failureCode])
    expect(await context.status(id)).toMatchObject({
      status: 'failed',
      failureCode,
      failureCategory: 'limits',
    })
    expect(await context.reported(id)).toMatchObject([{ status: 'failed', failureCode }])
  }
})

test('what the provider refuses is a failure with its code, and names no session', async () => {
  const id = await context.newReceipt()
  context.provider.fail('refuse')
  const { status, body } = await context.startCard(id)
  context.provider.fail(undefined)
  const failure = {
    failureCode: 'PORTAL_PAY_UNSUPPORTED_JURISDICTION',
    providerErrorCode: 'location_not_supported',
    providerRequestId: 'req_refused1',
  }
  expect([status, body.error]).toEqual([400, 'invalid_input'])
  expect(body).toMatchObject(failure)
  expect(await context.status(id)).toMatchObject({ status: 'failed', ...failure })
  expect(await context.status(id)).not.toHaveProperty('providerSessionId')
  expect(await context.reported(id)).toMatchObject([
    { status: 'failed', ...failure, providerSessionId: null },
  ])
})

test('paid, cancelled and expired receipts are refused, and one a bank is paying', async () => {
  const paid = await context.newCardReceipt()
  await context.report(paid.sessionId, { kind: 'accepted' })
  expect(await apiError(paid.id)).toEqual([400, 'invalid_input', 'This receipt has already been paid'])

  const pending = await context.newCardReceipt()
  await context.report(pending.sessionId, { kind: 'ach_pending' })
  const settling = 'A bank payment for this receipt is being settled'
  expect(await apiError(pending.id)).toEqual([400, 'invalid_input', settling])

  const cancelled = await context.newReceipt()
  await context.post(`/api/receipts/${cancelled}/cancel`, {})
  expect(await apiError(cancelled)).toEqual([400, 'invalid_input', 'This receipt has been cancelled'])

  const expired = await context.newReceipt({ expiresAt: addMs(context.clock.now(), 1_000) })
  context.clock.jumpTo(context.clock.now() + 2_000)
  expect(await apiError(expired)).toEqual([400, 'invalid_input', 'This receipt has expired'])
})

test('after a decline the buyer tries again in a new session, whose payment counts', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  await context.report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
  const again = await context.startCard(id)
  expect(again.status).toBe(201)
  expect(again.body.providerSessionId).not.toBe(sessionId)
  await context.report(sessionId, {
    kind: 'failed',
    errorCode: 'expired_card',
    at: addMs(context.clock.now(), 9),
  })
  expect(await context.status(id)).toMatchObject({ failureCode: 'PORTAL_PAY_ISSUER_DECLINED' })
  await context.report(again.body.providerSessionId, { kind: 'settled' })
  expect(await context.status(id)).toMatchObject({
    status: 'paid',
    ...noFailure,
    providerSessionId: again.body.providerSessionId,
  })
})

test('a blocked transaction is not tried again by card; a wallet may still pay', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  await context.report(sessionId, { kind: 'failed', errorCode: 'crypto_onramp_transaction_blocked' })
  const calls = context.provider.calls.open
  expect(await apiError(id)).toEqual([
    400,
    'invalid_input',
    'This receipt can no longer be paid by card or bank',
  ])
  expect(context.provider.calls.open).toBe(calls)
  expect(
    (await context.get(`/api/checkout/${id}?recipient=${context.merchant.wallet}`)).body.onramp,
  ).toBeNull()
  expect((await context.ask(id)).status).toBe(201)
})

test('a receipt that was started at a provider is not replaced any more', async () => {
  const { id } = await context.newCardReceipt()
  const response = await context.post('/api/receipts', receiptBody(id, 9))
  expect([response.status, response.body.error]).toEqual([409, 'receipt_exists'])
})

test('a session is asked about the more seldom the older it is, and never once it is over', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  const { calls } = context.provider
  const before = calls.find
  for (let minutes = 0; minutes < 60; minutes++) {
    context.clock.jumpTo(context.clock.now() + 60_000)
    await context.run(jobNames.pollOnramp)
  }
  const opened = [...context.provider.orders.keys()].length
  expect(calls.find - before).toBeLessThan(15 * opened)
  await context.report(sessionId, { kind: 'settled' })
  expect((await context.status(id)).status).toBe('paid')
  // Each session is polled once more for its delivery, while the provider is unreachable.
  const others = calls.find
  for (let days = 0; days < 2; days++) {
    context.clock.jumpTo(context.clock.now() + 25 * 3_600_000)
    context.provider.fail('away')
    await context.run(jobNames.pollOnramp)
    context.provider.fail(undefined)
  }
  expect(calls.find - others).toBeLessThan(2 * opened)
  const due = await context.needs.db.rows<{ reference: string }>({
    name: 'test-session-due',
    text: 'SELECT reference FROM onramp_place WHERE session_id = $1 AND look_at IS NOT NULL',
    values: [sessionId],
  })
  expect(due).toEqual([])
})

test('one session that cannot be read leaves those of others to be asked about', async () => {
  const [one, two] = [await context.newCardReceipt(), await context.newCardReceipt()]
  for (const { sessionId } of [one, two]) context.provider.happen(sessionId, { kind: 'settled' })
  await context.needs.db.run({
    name: 'test-break-session',
    text: `UPDATE onramp_session SET source = '{"cents": "none"}' WHERE merchant = $1 AND session_id = $2`,
    values: [context.merchant.wallet, one.sessionId],
  })
  context.clock.jumpTo(context.clock.now() + 60_000)
  await context.run(jobNames.pollOnramp)
  expect((await context.status(two.id)).status).toBe('paid')
  expect((await context.status(one.id)).status).toBe('pending')
  expect(context.logged).toContainEqual(expect.objectContaining({ alert: 'item-deferred' }))
})

test('without a provider cards are not offered, and asking for one is refused', async () => {
  const api = await startApi()
  try {
    const { wallet, key } = await api.addMerchant()
    await api.call('POST', '/api/receipts', { key, body: receiptBody('r') })
    const response = await api.call('POST', `/api/checkout/r/onramp?recipient=${wallet}`)
    expect([response.status, response.body.message]).toEqual([
      400,
      'Card and bank payments are not available on this service',
    ])
    expect((await api.call('GET', `/api/checkout/r?recipient=${wallet}`)).body.onramp).toBeNull()
  } finally {
    await api.stop()
  }
})
