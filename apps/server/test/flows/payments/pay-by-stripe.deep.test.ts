import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import type { Clock } from '../../../src/kernel/clock.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startStripeBench } from '../../api/onramp/stripe-bench.ts'
import { failure } from '../../api/onramp/stripe-stand-in.ts'
import type { PaperEvent } from '../../support/api/onramp.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const clock: Clock = {
  now: () => context.api.clock.now(),
  after: (delayMs, job) => context.api.clock.after(delayMs, job),
}
const bench = perFile(() => startStripeBench(clock))
const context = perFile(() => startPayments({ onramp: [bench.provider] }))
const charged = {
  source_amount: '25.00',
  fees: { network_fee_amount: '0.01', transaction_fee_amount: '1.12' },
}
let count = 0

async function newReceipt(): Promise<string> {
  const id = `stripe-${++count}`
  await context.newReceipt(id, 25)
  return id
}
const startCard = (id: string) =>
  context.api.call('POST', `/api/checkout/${id}/onramp?recipient=${context.merchant.wallet}`)
async function start() {
  const id = await newReceipt()
  const { status, body, text } = await startCard(id)
  if (status !== 201) throw new Error(text)
  return { id, sessionId: body.providerSessionId as string, amount: BigInt(body.amount) }
}
const send = ({ body, headers }: PaperEvent) =>
  context.api.call('POST', '/api/onramp/events/stripe', { body, headers })
const statuses = async (id: string) => (await context.messages(id)).map(({ body }) => body.status)

test('a card payment at Stripe is paid on its signed event, proven by the delivery, and told once', async () => {
  const { id, sessionId, amount } = await start()
  const { stripe } = bench
  const accepted = stripe.change(sessionId, 'fulfillment_processing', charged)
  const forged = stripe.sign(accepted.body, undefined, 'whsec_another')
  const old = stripe.sign(accepted.body, (context.api.clock.now() - 400_000) as never)
  for (const each of [forged, old]) expect((await send(each)).status).toBe(400)
  expect(await context.status(id)).toBe('pending')

  const responses = await Promise.all(Array.from({ length: 5 }, () => send(accepted)))
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect(await context.detail(id)).toMatchObject({
    status: 'paid',
    payment: { provenBy: 'provider' },
    providerSessionId: sessionId,
    isProviderSessionUnique: true,
    providerSourceAmountUsd: 26.13,
  })

  const address = stripe.sessions.get(sessionId)?.metadata.sluice_address as Wallet
  await context.transfer(context.tokenAddress('USDC'), address, amount)
  await context.mineAndScan()
  await send(stripe.change(sessionId, 'fulfillment_complete', charged))
  expect((await send(accepted)).status).toBe(200)
  expect(await context.detail(id)).toMatchObject({
    status: 'paid',
    payment: { provenBy: 'chain', received: 25, excess: 0 },
  })
  expect(await statuses(id)).toEqual(['paid'])
})

test('a blocked transaction fails the receipt by the special rule, and bars another session', async () => {
  const { id, sessionId } = await start()
  const details = { last_error: { code: 'crypto_onramp_transaction_blocked', message: 'prose' } }
  await send(bench.stripe.change(sessionId, 'rejected', details, { requestId: 'req_blocked1' }))
  expect((await context.messages(id)).at(-1)?.body).toMatchObject({
    status: 'failed',
    failureCode: 'PORTAL_PAY_TRANSACTION_BLOCKED',
    failureCategory: 'compliance',
    providerErrorCode: 'crypto_onramp_transaction_blocked',
    providerRequestId: 'req_blocked1',
  })
  expect((await startCard(id)).body.error).toBe('invalid_input')
})

test('a code that nobody knows fails the receipt in general, with the code beside it', async () => {
  const { id, sessionId } = await start()
  const details = { last_error: 'crypto_onramp_of_next_year' }
  await send(bench.stripe.change(sessionId, 'requires_payment', details))
  expect((await context.messages(id)).at(-1)?.body).toMatchObject({
    status: 'failed',
    failureCode: 'PORTAL_PAYMENT_FAILED',
    providerErrorCode: 'crypto_onramp_of_next_year',
    providerRequestId: null,
  })
})

test('a bank payment is pending until it settles, and one that is returned has failed', async () => {
  const bank = { paymentMethod: 'us_bank_account' }
  for (const [end, status] of [
    ['fulfillment_complete', 'paid'],
    ['rejected', 'failed'],
  ] as const) {
    const { id, sessionId } = await start()
    await send(bench.stripe.change(sessionId, 'fulfillment_processing', charged, bank))
    expect(await context.status(id)).toBe('paid - ach pending')
    await send(bench.stripe.change(sessionId, end, charged))
    expect(await context.status(id)).toBe(status)
  }
})

test('events that never came are made good by the poller, and by the list where even the answer was lost', async () => {
  const polled = await start()
  bench.stripe.change(polled.sessionId, 'fulfillment_processing', charged)
  const lost = await newReceipt()
  bench.stripe.behave = () => 'lose-response'
  expect((await startCard(lost)).status).toBe(503)
  bench.stripe.behave = undefined
  const [lostSession] = [...bench.stripe.sessions.keys()].slice(-1)
  bench.stripe.change(lostSession ?? '', 'fulfillment_processing', charged)
  await context.passTime(60)
  await context.run(jobNames.pollOnramp)
  expect(await context.status(polled.id)).toBe('paid')
  await context.run(jobNames.reconcileOnramp)
  expect(await context.status(lost)).toBe('paid')
})

test('a lost answer is found again by the same key: one receipt, one session', async () => {
  const id = await newReceipt()
  const before = bench.stripe.sessions.size
  bench.stripe.behave = () => 'lose-response'
  expect((await startCard(id)).body.error).toBe('provider_unavailable')
  bench.stripe.behave = undefined
  const again = await Promise.all([startCard(id), startCard(id)])
  expect(again.map(({ status }) => status)).toEqual([201, 201])
  expect(bench.stripe.sessions.size).toBe(before + 1)
})

test('Stripe that is overloaded, broken or hangs is 503, and the receipt stays as it is', async () => {
  const id = await newReceipt()
  for (const fails of [failure(429, 'invalid_request_error', 'rate_limit'), failure(500, 'api_error', 'x')]) {
    bench.stripe.behave = () => fails
    const { status, body } = await startCard(id)
    expect([status, body.error]).toEqual([503, 'provider_unavailable'])
  }
  bench.stripe.behave = () => 'hang'
  const before = bench.stripe.requests.length
  const hanging = startCard(id)
  await expect.poll(() => bench.stripe.requests.length).toBe(before + 1)
  await context.api.clock.advance(10_000)
  const { status, body } = await hanging
  bench.stripe.behave = undefined
  expect([status, body.error]).toEqual([503, 'provider_unavailable'])
  expect(await context.status(id)).toBe('pending')
  expect(await statuses(id)).toEqual([])
  expect((await startCard(id)).status).toBe(201)
})
