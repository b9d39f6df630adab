import { noFailure } from '@sluice/protocol/failures.ts'
import { addMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startOnrampApi } from '../../support/api/onramp.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const world = perFile(startOnrampApi)
const refusal = async (id: string) => {
  const { status, body } = await world.startCard(id)
  return [status, body.error, body.message]
}
const madeOf = async (usd: number, fields: object = {}) => {
  const body = receiptBody(`sum-${usd}-${Object.keys(fields)}`, usd, fields)
  expect((await world.post('/api/receipts', body)).status).toBe(201)
  return body.id
}

test('the order covers what the customer owes, goes to an address of its own, and is filled in', async () => {
  const id = await world.newReceipt({
    redirect_url: 'https://shop.example.com/back',
    providerEmail: 'card@example.com',
    billingEmail: 'bill@example.com',
    billingFirstName: 'Ada',
    billingAddressCountry: 'US',
  })
  const wallet = await world.ask(id)
  const { status, body } = await world.startCard(id)
  expect(status).toBe(201)
  const order = world.provider.orders.get(body.providerSessionId)
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
  const checkout = await world.get(`/api/checkout/${id}?recipient=${world.merchant.wallet}`)
  expect(checkout.body.onramp).toEqual({ provider: 'paper', methods: ['card', 'ach'], session: 'open' })
  expect(checkout.body.attempt.attemptId).toBe(wallet.body.attemptId)
  expect(await world.detail(id)).toMatchObject({
    providerSessionId: body.providerSessionId,
    isProviderSessionUnique: true,
    payment: { provenBy: null },
  })
})

test('asked again, also at the same moment, it is the same session; two receipts have two', async () => {
  const id = await world.newReceipt()
  const responses = await Promise.all([1, 2, 3, 4].map(() => world.startCard(id)))
  responses.push(await world.startCard(id))
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(201))
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
  const other = await world.newCardReceipt()
  expect(other.sessionId).not.toBe(responses[0]?.body.providerSessionId)
})

test('a session whose answer was lost is found again by the next call: nothing is opened twice', async () => {
  const id = await world.newReceipt()
  const before = world.provider.orders.size
  world.provider.fail('lose-response')
  const lost = await world.startCard(id)
  world.provider.fail(undefined)
  expect([lost.status, lost.body.error]).toEqual([503, 'provider_unavailable'])
  const again = await world.startCard(id)
  expect([again.status, again.body.providerSessionId]).toEqual([201, world.provider.last()])
  expect(world.provider.orders.size).toBe(before + 1)
  expect(await world.status(id)).toMatchObject({ status: 'pending', ...noFailure })
})

test('a provider that is away leaves the receipt as it is, to be paid in another way', async () => {
  const id = await world.newReceipt()
  world.provider.fail('away')
  const away = await world.startCard(id)
  world.provider.fail(undefined)
  expect([away.status, away.body.error]).toEqual([503, 'provider_unavailable'])
  expect((await world.status(id)).status).toBe('pending')
  expect((await world.ask(id)).status).toBe(201)
})

test('below the minimum and above the maximum the receipt fails with its limit, and one webhook', async () => {
  for (const [usd, failureCode] of [
    [6_000, 'PORTAL_PAY_AMOUNT_ABOVE_MAXIMUM'],
    [0.99, 'PORTAL_PAY_AMOUNT_BELOW_MINIMUM'],
  ] as const) {
    const id = await madeOf(usd)
    const { status, body } = await world.startCard(id)
    expect([status, body.error, body.failureCode]).toEqual([400, 'invalid_amount', failureCode])
    expect(await world.status(id)).toMatchObject({ status: 'failed', failureCode, failureCategory: 'limits' })
    expect(await world.told(id)).toMatchObject([{ status: 'failed', failureCode }])
  }
})

test('what the provider refuses is a failure with its code, and names no session', async () => {
  const id = await world.newReceipt()
  world.provider.fail('refuse')
  const { status, body } = await world.startCard(id)
  world.provider.fail(undefined)
  const failure = {
    failureCode: 'PORTAL_PAY_UNSUPPORTED_JURISDICTION',
    providerErrorCode: 'location_not_supported',
    providerRequestId: 'req_refused1',
  }
  expect([status, body.error]).toEqual([400, 'invalid_input'])
  expect(body).toMatchObject(failure)
  expect(await world.status(id)).toMatchObject({ status: 'failed', ...failure })
  expect(await world.status(id)).not.toHaveProperty('providerSessionId')
  expect(await world.told(id)).toMatchObject([{ status: 'failed', ...failure, providerSessionId: null }])
})

test('paid, cancelled and expired receipts are refused, and one a bank is paying', async () => {
  const paid = await world.newCardReceipt()
  await world.report(paid.sessionId, { kind: 'accepted' })
  expect(await refusal(paid.id)).toEqual([400, 'invalid_input', 'This receipt has already been paid'])

  const pending = await world.newCardReceipt()
  await world.report(pending.sessionId, { kind: 'ach_pending' })
  const settling = 'A bank payment for this receipt is being settled'
  expect(await refusal(pending.id)).toEqual([400, 'invalid_input', settling])

  const cancelled = await world.newReceipt()
  await world.post(`/api/receipts/${cancelled}/cancel`, {})
  expect(await refusal(cancelled)).toEqual([400, 'invalid_input', 'This receipt has been cancelled'])

  const expired = await world.newReceipt({ expiresAt: addMs(world.clock.now(), 1_000) })
  world.clock.jumpTo(world.clock.now() + 2_000)
  expect(await refusal(expired)).toEqual([400, 'invalid_input', 'This receipt has expired'])
})

test('after a decline the buyer tries again in a new session, whose payment counts', async () => {
  const { id, sessionId } = await world.newCardReceipt()
  await world.report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
  const again = await world.startCard(id)
  expect(again.status).toBe(201)
  expect(again.body.providerSessionId).not.toBe(sessionId)
  await world.report(sessionId, {
    kind: 'failed',
    errorCode: 'expired_card',
    at: addMs(world.clock.now(), 9),
  })
  expect(await world.status(id)).toMatchObject({ failureCode: 'PORTAL_PAY_ISSUER_DECLINED' })
  await world.report(again.body.providerSessionId, { kind: 'settled' })
  expect(await world.status(id)).toMatchObject({
    status: 'paid',
    ...noFailure,
    providerSessionId: again.body.providerSessionId,
  })
})

test('a blocked transaction is not tried again by card; a wallet may still pay', async () => {
  const { id, sessionId } = await world.newCardReceipt()
  await world.report(sessionId, { kind: 'failed', errorCode: 'crypto_onramp_transaction_blocked' })
  const calls = world.provider.calls.open
  expect(await refusal(id)).toEqual([
    400,
    'invalid_input',
    'This receipt can no longer be paid by card or bank',
  ])
  expect(world.provider.calls.open).toBe(calls)
  expect((await world.get(`/api/checkout/${id}?recipient=${world.merchant.wallet}`)).body.onramp).toBeNull()
  expect((await world.ask(id)).status).toBe(201)
})

test('a receipt that was started at a provider is not replaced any more', async () => {
  const { id } = await world.newCardReceipt()
  const response = await world.post('/api/receipts', receiptBody(id, 9))
  expect([response.status, response.body.error]).toEqual([409, 'receipt_exists'])
})

test('a session is asked about the more seldom the older it is, and never once it is over', async () => {
  const { id, sessionId } = await world.newCardReceipt()
  const { calls } = world.provider
  const before = calls.find
  for (let minutes = 0; minutes < 60; minutes++) {
    world.clock.jumpTo(world.clock.now() + 60_000)
    await world.run(jobNames.pollOnramp)
  }
  const opened = [...world.provider.orders.keys()].length
  expect(calls.find - before).toBeLessThan(15 * opened)
  await world.report(sessionId, { kind: 'settled' })
  expect((await world.status(id)).status).toBe('paid')
  // Its delivery is looked at once more, without the provider.
  const others = calls.find
  for (let days = 0; days < 2; days++) {
    world.clock.jumpTo(world.clock.now() + 25 * 3_600_000)
    world.provider.fail('away')
    await world.run(jobNames.pollOnramp)
    world.provider.fail(undefined)
  }
  expect(calls.find - others).toBeLessThan(2 * opened)
  const due = await world.needs.db.rows<{ reference: string }>({
    name: 'test-session-due',
    text: 'SELECT reference FROM onramp_place WHERE session_id = $1 AND look_at IS NOT NULL',
    values: [sessionId],
  })
  expect(due).toEqual([])
})

test('one session that cannot be read leaves those of others to be asked about', async () => {
  const [one, two] = [await world.newCardReceipt(), await world.newCardReceipt()]
  for (const { sessionId } of [one, two]) world.provider.happen(sessionId, { kind: 'settled' })
  await world.needs.db.run({
    name: 'test-break-session',
    text: `UPDATE onramp_session SET source = '{"cents": "none"}' WHERE merchant = $1 AND session_id = $2`,
    values: [world.merchant.wallet, one.sessionId],
  })
  world.clock.jumpTo(world.clock.now() + 60_000)
  await world.run(jobNames.pollOnramp)
  expect((await world.status(two.id)).status).toBe('paid')
  expect((await world.status(one.id)).status).toBe('pending')
  expect(world.logged).toContainEqual(expect.objectContaining({ alert: 'item-set-aside' }))
})

test('without a provider cards are not offered, and asking for one is refused', async () => {
  const api = await startApi()
  try {
    const { wallet, key } = await api.addMerchant()
    await api.call('POST', '/api/receipts', { key, body: receiptBody('r') })
    const response = await api.call('POST', `/api/checkout/r/onramp?recipient=${wallet}`)
    expect([response.status, response.body.message]).toEqual([
      400,
      'Card and bank payments are not available here',
    ])
    expect((await api.call('GET', `/api/checkout/r?recipient=${wallet}`)).body.onramp).toBeNull()
  } finally {
    await api.stop()
  }
})
