import { noFailure } from '@sluice/protocol/failures.ts'
import type { Cents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { addMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { findReceipt } from '../../../src/receipts/store.ts'
import { startOnrampApi } from '../../support/api/onramp.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startOnrampApi)
const cents = (value: number) => BigInt(value) as Cents
const later = (ms: number) => addMs(context.clock.now(), ms)

test('an event that is not signed by the provider, changed or old is refused and changes nothing', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  const event = context.provider.happen(sessionId, { kind: 'settled' })
  const wrong = [
    { ...event, headers: { 'content-type': 'application/json' } },
    { ...event, body: event.body.replace('settled', 'accepted') },
    context.provider.sign(event.body, later(-400_000)),
    context.provider.sign(event.body, later(400_000)),
  ]
  for (const each of wrong) {
    const response = await context.send(each)
    expect([response.status, response.body.error]).toEqual([400, 'invalid_input'])
  }
  expect((await context.status(id)).status).toBe('pending')
  const elsewhere = await context.call('POST', '/api/onramp/events/nobody', event)
  expect([elsewhere.status, elsewhere.body.error]).toEqual([404, 'not_found'])
  expect((await context.send(event)).body).toEqual({ ok: true })
  expect((await context.status(id)).status).toBe('paid')
})

test('the same event sent ten times at once is applied once', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  const event = context.provider.happen(sessionId, { kind: 'settled', sourceCents: cents(399) })
  const responses = await Promise.all(Array.from({ length: 10 }, () => context.send(event)))
  expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const events = await context.reported(id)
  expect(events).toHaveLength(1)
  expect(events[0]).toMatchObject({
    status: 'paid',
    previousStatus: 'pending',
    ...noFailure,
    transactionHash: null,
    buyerWallet: null,
    providerSourceAmountUsd: 3.99,
    providerSessionId: sessionId,
    isProviderSessionUnique: true,
    token: 'USDC',
  })
})

test('a receipt paid on a signed event says so, and names no transaction', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  const transactionHash = `0x${'cd'.repeat(32)}`
  await context.report(sessionId, { kind: 'settled', sourceCents: cents(410), transactionHash })
  const detail = await context.detail(id)
  expect(detail).toMatchObject({
    status: 'paid',
    transactionHash: null,
    payment: { provenBy: 'provider' },
    providerSessionId: sessionId,
    isProviderSessionUnique: true,
    providerSourceAmountUsd: 4.1,
  })
  expect(await context.status(id)).toMatchObject({
    providerSessionId: sessionId,
    providerSourceAmountUsd: 4.1,
  })
})

test('a kind that nobody knows, and a session that is not ours, are kept and change nothing', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  const unknown = { id: 'evt_unknown', type: 'paper.rate_changed', at: context.clock.now(), sessionId }
  expect((await context.send(context.provider.sign(JSON.stringify(unknown)))).status).toBe(200)
  const strange = context.provider.happen('ps_of_somebody_else', { kind: 'settled' })
  expect((await context.send(strange)).status).toBe(200)
  expect((await context.status(id)).status).toBe('pending')
  const kept = await context.needs.db.rows<{ outcome: string; body: string }>({
    name: 'test-kept-events',
    text: "SELECT outcome, body FROM onramp_event WHERE outcome IN ('unknown', 'unmatched') ORDER BY outcome",
  })
  expect(kept).toMatchObject([
    { outcome: 'unknown', body: JSON.stringify(unknown) },
    { outcome: 'unmatched', body: strange.body },
  ])
})

test('a decline fails the receipt with code, reason and reference, and one webhook; a later one is shown', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  await context.report(sessionId, { kind: 'failed', errorCode: 'insufficient_funds', requestId: 'req_abc' })
  const failure = {
    failureCode: 'PORTAL_PAY_INSUFFICIENT_FUNDS',
    failureCategory: 'card_decline',
    providerErrorCode: 'insufficient_funds',
    providerRequestId: 'req_abc',
  }
  expect(await context.status(id)).toMatchObject({ status: 'failed', ...failure })
  expect(await context.reported(id)).toMatchObject([
    { status: 'failed', ...failure, providerSessionId: sessionId },
  ])
  await context.report(sessionId, { kind: 'failed', errorCode: 'expired_card', at: later(1_000) })
  expect(await context.status(id)).toMatchObject({ failureCode: 'PORTAL_PAY_CARD_EXPIRED' })
  expect(await context.reported(id)).toHaveLength(1)
  await context.report(sessionId, { kind: 'accepted', at: later(2_000) })
  expect(await context.status(id)).toMatchObject({ status: 'paid', ...noFailure })
})

test("a provider's own code is read as it says; an unknown one is generic, and prose is no code", async () => {
  const codes = [
    ['paper_bank_policy', 'PORTAL_PAY_BANK_POLICY', 'paper_bank_policy'],
    ['never_heard_of', 'PORTAL_PAYMENT_FAILED', 'never_heard_of'],
    ['toString', 'PORTAL_PAYMENT_FAILED', 'toString'],
    ['The card was declined.', 'PORTAL_PAYMENT_FAILED', null],
  ] as const
  for (const [errorCode, failureCode, providerErrorCode] of codes) {
    const { id, sessionId } = await context.newCardReceipt()
    await context.report(sessionId, { kind: 'failed', errorCode, requestId: 'not a reference' })
    expect(await context.status(id)).toMatchObject({
      failureCode,
      providerErrorCode,
      providerRequestId: null,
    })
  }
})

test('a stale failure touches neither a paid receipt nor one that another attempt is open for', async () => {
  const one = await context.newCardReceipt()
  await context.report(one.sessionId, { kind: 'accepted', at: later(5_000) })
  await context.report(one.sessionId, { kind: 'failed', errorCode: 'card_declined', at: later(1_000) })
  expect(await context.status(one.id)).toMatchObject({ status: 'paid', ...noFailure })

  const two = await context.newCardReceipt()
  expect((await context.ask(two.id, 'ETH')).status).toBe(201)
  await context.report(two.sessionId, { kind: 'failed', errorCode: 'card_declined' })
  expect(await context.status(two.id)).toMatchObject({ status: 'pending', ...noFailure })
  expect(await context.reported(two.id)).toEqual([])
})

test('a failure after the confirmation changes nothing, and somebody is alerted', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  await context.report(sessionId, { kind: 'settled' })
  await context.report(sessionId, { kind: 'failed', errorCode: 'card_declined', at: later(60_000) })
  expect((await context.status(id)).status).toBe('paid')
  expect(context.logged).toContainEqual(
    expect.objectContaining({ alert: 'provider-reversal', receiptId: id }),
  )
})

test('a bank payment is pending, and then paid or failed', async () => {
  const settled = await context.newCardReceipt()
  await context.report(settled.sessionId, { kind: 'ach_pending', sourceCents: cents(360) })
  expect(await context.detail(settled.id)).toMatchObject({
    status: 'paid - ach pending',
    payment: { provenBy: 'provider' },
  })
  expect((await context.ask(settled.id)).body.message).toBe(
    'A bank payment for this receipt is being settled',
  )
  await context.report(settled.sessionId, { kind: 'settled' })
  expect((await context.reported(settled.id)).map(({ status }: { status: string }) => status)).toEqual([
    'paid - ach pending',
    'paid',
  ])

  const returned = await context.newCardReceipt()
  await context.report(returned.sessionId, { kind: 'ach_pending' })
  await context.report(returned.sessionId, {
    kind: 'returned',
    errorCode: 'insufficient_funds',
    at: later(9),
  })
  expect(await context.status(returned.id)).toMatchObject({
    status: 'failed',
    failureCode: 'PORTAL_PAY_INSUFFICIENT_FUNDS',
  })
})

test('what no event brought is found by asking', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  context.provider.happen(sessionId, { kind: 'settled' })
  context.clock.jumpTo(context.clock.now() + 60_000)
  await context.run(jobNames.pollOnramp)
  expect((await context.status(id)).status).toBe('paid')
  expect(await context.reported(id)).toHaveLength(1)
})

test('a failure that is only said again, of a later time, adds nothing to the history', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  const declined = { kind: 'failed', errorCode: 'expired_card', requestId: 'req_1' } as const
  await context.report(sessionId, declined)
  const after = async () => {
    const receipt = await findReceipt(context.needs.db, context.merchant.wallet, id as ReceiptId)
    return { entries: receipt?.historyCount, reported: (await context.reported(id)).length }
  }
  const before = await after()
  for (let asked = 0; asked < 3; asked++) {
    context.clock.jumpTo(context.clock.now() + 7 * 3_600_000)
    context.provider.happen(sessionId, { ...declined, at: context.clock.now() })
    const calls = context.provider.calls.find
    await context.run(jobNames.pollOnramp)
    expect(context.provider.calls.find).toBeGreaterThan(calls)
  }
  await context.report(sessionId, { ...declined, at: later(1) })
  expect(await after()).toEqual(before)
  // The same code for another request counts as a new failure.
  await context.report(sessionId, { ...declined, requestId: 'req_2', at: later(2) })
  expect(await after()).not.toEqual(before)
})

test('of two failures the later one stands, also where it was only said again', async () => {
  const { id, sessionId } = await context.newCardReceipt()
  const failed = (errorCode: string, ms: number) => ({ kind: 'failed', errorCode, at: later(ms) }) as const
  await context.report(sessionId, failed('expired_card', 1))
  await context.report(sessionId, failed('expired_card', 5))
  await context.report(sessionId, failed('insufficient_funds', 3))
  expect((await context.status(id)).failureCode).toBe('PORTAL_PAY_CARD_EXPIRED')
})

test('a session whose answer was lost is found in the list by our reference, and paid', async () => {
  const id = await context.newReceipt()
  context.provider.fail('lose-response')
  const lost = await context.startCard(id)
  context.provider.fail(undefined)
  expect([lost.status, lost.body.error]).toEqual([503, 'provider_unavailable'])
  context.provider.happen(context.provider.last(), { kind: 'settled' })
  await context.run(jobNames.reconcileOnramp)
  expect(await context.status(id)).toMatchObject({
    status: 'paid',
    providerSessionId: context.provider.last(),
  })
})

test("the buyer's address is kept until the provider has had its last word, and not longer", async () => {
  const address = async (sessionId: string) => {
    const [row] = await context.needs.db.rows<{ address: string | null }>({
      name: 'test-client-address',
      text: 'SELECT client_address AS address FROM onramp_session WHERE merchant = $1 AND session_id = $2',
      values: [context.merchant.wallet, sessionId],
    })
    return row?.address
  }
  const [paid, declined, left] = [
    await context.newCardReceipt(),
    await context.newCardReceipt(),
    await context.newCardReceipt(),
  ]
  await context.report(paid.sessionId, { kind: 'accepted' })
  await context.report(declined.sessionId, { kind: 'failed', errorCode: 'expired_card' })
  for (const { sessionId } of [paid, declined, left]) expect(await address(sessionId)).toBe('127.0.0.1')
  await context.report(paid.sessionId, { kind: 'settled' })
  expect(await address(paid.sessionId)).toBeNull()
  // A failed session accepts a payment for one more day, an open session for three days.
  for (let days = 0; days < 5; days++) {
    context.clock.jumpTo(context.clock.now() + 24 * 3_600_000)
    await context.run(jobNames.pollOnramp)
  }
  expect(await address(declined.sessionId)).toBeNull()
  expect(await address(left.sessionId)).toBeNull()
})

test('a session that the provider never opened is deleted after a month, and no other one', async () => {
  const kept = await context.newCardReceipt()
  context.provider.fail('away')
  const id = await context.newReceipt()
  expect((await context.startCard(id)).status).toBe(503)
  context.provider.fail(undefined)
  const receiptsWithSession = async () => {
    const found = await context.needs.db.rows<{ id: string }>({
      name: 'test-receipts-with-session',
      text: `SELECT receipt_id AS id FROM onramp_session WHERE merchant = $1 AND receipt_id IN ($2, $3)
        UNION ALL SELECT receipt_id FROM onramp_place WHERE merchant = $1 AND receipt_id IN ($2, $3)`,
      values: [context.merchant.wallet, id, kept.id],
    })
    return found.map((each) => each.id).toSorted()
  }
  await context.run(jobNames.reconcileOnramp)
  expect(await receiptsWithSession()).toEqual([id, id, kept.id, kept.id].toSorted())
  context.clock.jumpTo(context.clock.now() + 31 * 24 * 3_600_000)
  await context.run(jobNames.reconcileOnramp)
  expect(await receiptsWithSession()).toEqual([kept.id, kept.id])
})
