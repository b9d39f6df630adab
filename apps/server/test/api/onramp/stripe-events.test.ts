import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/clock.ts'
import type { EventReading, SessionReport } from '../../../src/onramp/provider.ts'
import type { PaperEvent } from '../../support/api/onramp.ts'
import { perFile } from '../../support/per-file.ts'
import { sampleOrder } from './provider-conformance.ts'
import { startStripeBench } from './stripe-bench.ts'
import type { EventFields } from './stripe-stand-in.ts'

const bench = perFile(startStripeBench)
const call = () => ({ signal: AbortSignal.timeout(20_000) })
const charged = {
  source_amount: '25.00',
  fees: { network_fee_amount: '0.0149', transaction_fee_amount: '1.120' },
}

const asRequest = ({ body, headers }: PaperEvent) => ({ body: Buffer.from(body), headers })
const read = (event: PaperEvent): Promise<EventReading> =>
  bench.provider.readEvent({ ...asRequest(event), now: systemClock.now(), toleranceMs: 300_000 })

async function open() {
  const outcome = await bench.provider.openSession(sampleOrder(), call())
  if (outcome.kind !== 'opened') throw new Error(`refused: ${outcome.error.errorCode}`)
  return outcome
}
async function reportOf(
  status: string,
  details: Record<string, unknown> = {},
  more?: EventFields,
): Promise<SessionReport | undefined> {
  const { sessionId } = await open()
  const reading = await read(bench.stripe.change(sessionId, status, details, more))
  if (reading.kind === 'refused') throw new Error(reading.because)
  return reading.event.report
}

test('what the buyer was charged is the amount with both fees; a part that is not stated leaves it unknown', async () => {
  const sourceOf = async (details: object) =>
    (await reportOf('fulfillment_processing', { ...charged, ...details }))?.change.sourceCents
  expect(await sourceOf({})).toBe(2_613n)
  expect(await sourceOf({ fees: { network_fee_monetary: '0', transaction_fee_monetary: '1' } })).toBe(2_600n)
  expect(await sourceOf({ fees: null })).toBeUndefined()
  expect(await sourceOf({ source_currency: 'eur' })).toBeUndefined()
  expect(await sourceOf({ source_amount: '1e3' })).toBeUndefined()
})

test.for([
  ['a smaller amount', { destination_amount: '24.999999' }],
  ['no amount', { destination_amount: null }],
  ['another coin', { destination_currency: 'eth' }],
  ['another network', { destination_network: 'ethereum' }],
  ['another address', { wallet_address: `0x${'33'.repeat(20)}` }],
] as const)('a session that delivers %s pays nothing by its word: the chain decides', async ([, details]) => {
  expect(await reportOf('fulfillment_complete', details)).toBeUndefined()
  const { sessionId } = await open()
  bench.stripe.change(sessionId, 'fulfillment_processing', details)
  expect(await bench.provider.findSession(sessionId, call())).toBeUndefined()
})

test('an amount above the order, or spelled otherwise, is as good', async () => {
  for (const destination_amount of ['25.000000', '25.5'])
    expect(await reportOf('fulfillment_complete', { destination_amount })).toMatchObject({
      change: { kind: 'settled' },
    })
})

test('statuses, errors and ids that nobody documented are no change; a failure without a code has none', async () => {
  expect(await reportOf('quote_ready')).toBeUndefined()
  expect(await reportOf('fulfillment_complete', { transaction_id: 'cxt_1' })).toMatchObject({
    change: { kind: 'settled', transactionHash: undefined },
  })
  expect(await reportOf('requires_payment', { last_error: { message: 'card_declined' } })).toMatchObject({
    change: { kind: 'opened' },
  })
  expect((await reportOf('rejected'))?.change).toMatchObject({
    kind: 'failed',
    error: { errorCode: null, requestId: null },
  })
})

test('a blocked transaction keeps its code and the request it came of', async () => {
  const details = { last_error: 'crypto_onramp_transaction_blocked' }
  const report = await reportOf('requires_payment', details, { requestId: 'req_blocked1' })
  expect(report?.change.error).toEqual({
    errorCode: 'crypto_onramp_transaction_blocked',
    requestId: 'req_blocked1',
  })
})

test('asked twice about the same failure, Stripe says the same thing at the same time', async () => {
  const { sessionId } = await open()
  bench.stripe.change(sessionId, 'requires_payment', { last_error: 'expired_card' })
  const first = await bench.provider.findSession(sessionId, call())
  expect(first?.change).toMatchObject({ kind: 'failed', error: { errorCode: 'expired_card' } })
  expect(await bench.provider.findSession(sessionId, call())).toEqual(first)
})

test.each([
  ['an event', { livemode: false }],
  ['an event about a live session', { livemode: false, sessionLivemode: true }],
  ['a live event about a session', { livemode: true, sessionLivemode: false }],
])("%s of Stripe's test world says nothing where the key is live", async (_, fields) => {
  expect(await reportOf('fulfillment_complete', {}, fields)).toBeUndefined()
})

test('a signature of another secret, of the past or of the future, and a body that is no event, are refused', async () => {
  const { sessionId } = await open()
  const { body } = bench.stripe.change(sessionId, 'fulfillment_complete')
  const at = (ms: number) => (systemClock.now() + ms) as UnixMs
  const { sign } = bench.stripe
  expect(await read(sign(body, undefined, 'whsec_another'))).toEqual({
    kind: 'refused',
    because: 'signature',
  })
  expect(await read(sign(body, at(-310_000)))).toEqual({ kind: 'refused', because: 'time' })
  expect(await read(sign(body, at(310_000)))).toEqual({ kind: 'refused', because: 'time' })
  expect(await read(sign('{}'))).toEqual({ kind: 'refused', because: 'format' })
  expect(await read(sign('no json'))).toEqual({ kind: 'refused', because: 'format' })
  expect(await read(sign(body))).toMatchObject({ kind: 'event' })
})
