import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import { generateId } from '../../../src/kernel/generate-id.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import { ProviderUnavailable } from '../../../src/onramp/provider.ts'
import type { PaperEvent } from '../../support/api/onramp.ts'
import { perFile } from '../../support/per-file.ts'
import { type Happening, sampleOrder, testProvider } from './provider-conformance.ts'
import { startStripeBench } from './stripe-bench.ts'
import { failure, type StripeFailure } from './stripe-stand-in.ts'

const bench = perFile(startStripeBench)
const call = () => ({ signal: AbortSignal.timeout(20_000) })
const charged = {
  source_amount: '25.00',
  fees: { network_fee_amount: '0.0149', transaction_fee_amount: '1.120' },
}
const hash = `0x${'ab'.repeat(32)}`

testProvider(() => ({
  provider: bench.provider,
  now: () => systemClock.now(),
  happens: async ({ sessionId }, happening) => act(sessionId, happening).map(asRequest),
  knownDecline: 'insufficient_funds',
  refusedOrder: (order) => ({ ...order, billing: { country: 'KP' } }),
  async withoutServers(work) {
    await bench.stripe.close()
    return work().finally(() => bench.stripe.open())
  },
}))

function act(id: string, happening: Happening): PaperEvent[] {
  const { stripe } = bench
  const bank = { paymentMethod: 'us_bank_account' }
  if (happening.kind === 'unheard-of')
    return [stripe.change(id, 'initialized', {}, { type: 'charge.refunded' })]
  if (happening.kind === 'is-declined') {
    const last_error = { code: 'card_declined', decline_code: happening.errorCode, message: 'no' }
    return [stripe.change(id, 'requires_payment', { last_error }, { requestId: 'req_ofTheBuyer' })]
  }
  if (happening.kind === 'pays-by-bank') return [stripe.change(id, 'fulfillment_processing', charged, bank)]
  if (happening.kind === 'bank-returns')
    return [stripe.change(id, 'rejected', { last_error: 'insufficient_funds' }, bank)]
  return [
    stripe.change(id, 'requires_payment', { last_error: null }),
    stripe.change(id, 'fulfillment_processing', charged),
    stripe.change(id, 'fulfillment_complete', { ...charged, transaction_id: hash }),
  ]
}

const asRequest = ({ body, headers }: PaperEvent) => ({ body: Buffer.from(body), headers })
async function open(more: Parameters<typeof sampleOrder>[0] = {}) {
  const order = sampleOrder(more)
  const outcome = await bench.provider.openSession(order, call())
  if (outcome.kind !== 'opened') throw new Error(`refused: ${outcome.error.errorCode}`)
  return { ...outcome, order, request: bench.stripe.requests.at(-1) }
}
async function whileStripe<T>(fails: StripeFailure, work: () => Promise<T>): Promise<T> {
  bench.stripe.behave = () => fails
  return work().finally(() => {
    bench.stripe.behave = undefined
  })
}

test('a session delivers the exact USDC to the locked deposit address, in the form that Stripe documents', async () => {
  const billing = {
    firstName: 'Ada',
    lastName: 'Lovelace',
    line1: '1 Main St',
    zip: '10001',
    country: 'US',
    phone: '1',
  }
  const { order, hostedUrl, sessionId, request } = await open({ billing, clientAddress: '8.8.8.8' })
  expect(hostedUrl).toBe(`https://crypto.link.com/?session_hash=${sessionId}`)
  expect(Object.fromEntries(request?.form ?? [])).toEqual({
    source_currency: 'usd',
    destination_currency: 'usdc',
    'destination_currencies[0]': 'usdc',
    destination_network: 'base',
    'destination_networks[0]': 'base',
    destination_amount: '25',
    'wallet_addresses[base_network]': order.depositAddress,
    lock_wallet_address: 'true',
    customer_ip_address: '8.8.8.8',
    'customer_information[email]': 'buyer@example.com',
    'customer_information[first_name]': 'Ada',
    'customer_information[last_name]': 'Lovelace',
    'customer_information[address][line1]': '1 Main St',
    'customer_information[address][postal_code]': '10001',
    'customer_information[address][country]': 'US',
    'metadata[sluice_reference]': order.reference,
    'metadata[sluice_amount]': '25',
    'metadata[sluice_address]': order.depositAddress,
  })
  expect(request?.headers).toMatchObject({ 'idempotency-key': order.reference })
})

test("a buyer's address that is not public is kept from Stripe, which would refuse it", async () => {
  for (const clientAddress of ['127.0.0.1', '10.0.0.3', undefined])
    expect((await open({ clientAddress })).request?.form.has('customer_ip_address')).toBe(false)
})

test('what the form is filled in with never costs a payment', async () => {
  const fields: (string | undefined)[] = []
  bench.stripe.behave = ({ method, form }) => {
    const prefill = [...form.keys()].find((name) => /^(customer_information|kyc_details)\[/.test(name))
    if (method === 'POST') fields.push(prefill?.split('[')[0])
    return prefill ? failure(400, 'invalid_request_error', 'parameter_invalid', prefill) : undefined
  }
  const order = sampleOrder()
  const [one, two] = [
    await bench.provider.openSession(order, call()),
    await bench.provider.openSession(order, call()),
  ]
  bench.stripe.behave = undefined
  expect(one).toMatchObject({ kind: 'opened' })
  expect(two).toEqual(one)
  const once = ['customer_information', 'kyc_details', undefined]
  expect(fields).toEqual([...once, ...once])
})

test('a session whose answer was lost is found again under its key', async () => {
  const order = sampleOrder()
  const before = bench.stripe.sessions.size
  bench.stripe.behave = () => 'lose-response'
  await expect(bench.provider.openSession(order, call())).rejects.toThrow(ProviderUnavailable)
  bench.stripe.behave = undefined
  expect(await bench.provider.openSession(order, call())).toMatchObject({ kind: 'opened' })
  expect(bench.stripe.sessions.size).toBe(before + 1)
})

test('while another process opens the same session, it is waited for', async () => {
  let turnedAway = 0
  bench.stripe.behave = () =>
    ++turnedAway <= 2 ? failure(409, 'idempotency_error', 'idempotency_key_in_use') : undefined
  expect(await bench.provider.openSession(sampleOrder(), call())).toMatchObject({ kind: 'opened' })
  bench.stripe.behave = undefined
  expect(turnedAway).toBe(3)
})

test('a session is found again after Stripe has forgotten its key, and one that never was is opened', async () => {
  const twoDaysMs = 2 * 24 * 3_600_000
  const reference = generateId((systemClock.now() - twoDaysMs) as UnixMs, systemRandom)
  const before = bench.stripe.sessions.size
  const first = await open({ reference })
  expect(bench.stripe.sessions.size).toBe(before + 1)
  bench.stripe.forgetKeys()
  expect(await bench.provider.openSession(first.order, call())).toMatchObject({
    kind: 'opened',
    sessionId: first.sessionId,
    hostedUrl: first.hostedUrl,
  })
  expect(bench.stripe.sessions.size).toBe(before + 1)
})

test.for([
  failure(429, 'invalid_request_error', 'rate_limit'),
  failure(500, 'api_error', 'internal'),
  failure(503, 'api_error', 'crypto_onramp_service_error'),
  failure(403, 'invalid_request_error', 'more_permissions_required'),
  failure(400, 'invalid_request_error', 'crypto_onramp_disabled'),
  failure(400, 'invalid_request_error', 'crypto_onramp_merchant_not_properly_setup'),
  failure(400, 'invalid_request_error', 'parameter_unknown', 'destination_amount'),
])('$status $error.code says nothing of the payment, is asked once and costs nothing', async (fails) => {
  const [sessions, requests] = [bench.stripe.sessions.size, bench.stripe.requests.length]
  const opening = whileStripe(fails, () => bench.provider.openSession(sampleOrder(), call()))
  await expect(opening).rejects.toThrow(ProviderUnavailable)
  expect(bench.stripe.sessions.size).toBe(sessions)
  expect(bench.stripe.requests.length).toBe(requests + 1)
  expect(bench.logged.join()).not.toMatch(/sk_live|In prose/)
})

test('a key that Stripe does not take is an outage, and stands in no log', async () => {
  await expect(bench.stranger.openSession(sampleOrder(), call())).rejects.toThrow(ProviderUnavailable)
  expect(bench.logged.join()).toContain('"status":401')
  expect(bench.logged.join()).not.toContain('ofSomebodyElse')
})

test.for([
  ['crypto_onramp_unsupportable_customer', 'crypto_onramp_unsupportable_customer'],
  ['crypto_onramp_transaction_limit_reached', 'crypto_onramp_transaction_limit_reached'],
  ['crypto_onramp_of_next_year', 'crypto_onramp_of_next_year'],
] as const)('the refusal %s keeps its code and the reference of support', async ([code, errorCode]) => {
  const fails = failure(400, 'invalid_request_error', code)
  const outcome = await whileStripe(fails, () => bench.provider.openSession(sampleOrder(), call()))
  const requestId = expect.stringMatching(/^req_standIn\d+$/)
  expect(outcome).toEqual({ kind: 'refused', error: { errorCode, requestId } })
})

test('an answer that is no session is an outage', async () => {
  const { sessionId } = await open()
  const session = bench.stripe.sessions.get(sessionId)
  Object.assign(session ?? {}, { metadata: 7 })
  await expect(bench.provider.findSession(sessionId, call())).rejects.toThrow(ProviderUnavailable)
  expect(await bench.provider.findSession('cos_1/../../v1/customers', call())).toBeUndefined()
})

test('a list longer than a page is read to its end, each session once', async () => {
  const since = systemClock.now()
  for (let count = 0; count < 103; count++) await open()
  const ids: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await bench.provider.listSessions({ openedSince: since, cursor }, call())
    ids.push(...page.sessions.map(({ sessionId }) => sessionId))
    cursor = page.nextCursor
    pages++
  } while (cursor !== undefined)
  expect(pages).toBeGreaterThanOrEqual(2)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThanOrEqual(103)
})
