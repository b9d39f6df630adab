import { describeFailure, noFailure } from '@sluice/protocol/failures.ts'
import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, withoutTable } from '../support/api/expect-errors.ts'
import { tooSmall } from '../support/api/merchant-api.ts'
import { startOnrampApi } from '../support/api/onramp.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const world = perFile(startOnrampApi)
const failure = describeFailure('PORTAL_PAY_ISSUER_DECLINED')
const hook = { webhook_url: 'https://shop.example.com/hook' }

const statusOf = async (id: string) => (await world.status(id)).status
const report = (receiptId: string, status: string) =>
  world.postAsOwner('/api/receipts/status', { receiptId, wallet: world.merchant.wallet, status })
const refund = (receiptId: string, usd: number) => {
  const wallets = { wallet: world.merchant.wallet, buyer: newWallet().wallet }
  return world.postAsOwner('/api/receipts/refund', { receiptId, usd, ...wallets })
}
const sold = async () => (await world.postAsOwner('/api/receipts/terminal', { amountUsd: 3.5 })).body.receipt

/** A receipt in each state that comes about over HTTP, by the way it does. */
const ways: Readonly<Record<string, () => Promise<string>>> = {
  generated: async () => (await sold()).receiptId,
  pending: () => world.newReceipt(hook),
  paid: () => paid(),
  failed: () => world.newFailedReceipt(hook),
  'paid - ach pending': () => reported('ach_pending'),
  refund_requested: async () => {
    const id = await paid()
    await report(id, 'refund_requested')
    return id
  },
  refunded: async () => {
    const id = await paid()
    await refund(id, 3.5)
    return id
  },
}
async function paid(): Promise<string> {
  const id = await world.newReceipt(hook)
  await world.takeForPaid(id)
  return id
}
/** One whose provider signed that. */
async function reported(kind: 'ach_pending' | 'settled' | 'failed'): Promise<string> {
  const { id, sessionId } = await world.newCardReceipt(hook)
  await world.report(sessionId, { kind, ...(kind === 'failed' && { errorCode: 'card_declined' }) })
  return id
}
async function isReached(state: string, way = ways[state]): Promise<string> {
  const id = (await way?.()) ?? ''
  expect(await statusOf(id)).toBe(state)
  expect((await world.detail(id)).status).toBe(state)
  return id
}

row('state.generated', 'is where a receipt from the terminal begins', () => isReached('generated'))
row('state.pending', 'is where a receipt from the API begins', () => isReached('pending'))
row('state.paid', 'follows a payment that the server verified, or that its provider signed', async () => {
  await isReached('paid')
  const id = await isReached('paid', () => reported('settled'))
  expect((await world.detail(id)).payment.provenBy).toBe('provider')
})

row('state.paid-ach-pending', 'follows an accepted bank payment, which settles or comes back', async () => {
  const ends = { settled: 'paid', returned: 'failed' } as const
  for (const kind of ['settled', 'returned'] as const) {
    const { id, sessionId } = await world.newCardReceipt(hook)
    await world.report(sessionId, { kind: 'ach_pending' })
    await isReached('paid - ach pending', async () => id)
    await world.report(sessionId, { kind, ...(kind === 'returned' && { errorCode: 'insufficient_funds' }) })
    expect(await statusOf(id)).toBe(ends[kind])
    const told = (await world.told(id)).map(({ status }: { status: string }) => status)
    expect(told).toEqual(['paid - ach pending', ends[kind]])
  }
})

row('state.failed', 'follows a failure that the server verified, or that its provider signed', async () => {
  await isReached('failed')
  await isReached('failed', () => reported('failed'))
})
row('state.refund_requested', 'follows the request for a refund', () => isReached('refund_requested'))
row('state.refunded', 'follows the refund of the last cent', () => isReached('refunded'))

row('state.legacy', 'values are read as what they stand for, and never set', async () => {
  for (const [legacy, canonical] of Object.entries({
    completed: 'paid',
    ach_pending: 'paid - ach pending',
    rejected: 'failed',
    abandoned: 'failed',
    tx_mined: 'paid',
    recipient_validated: 'paid',
    tx_mismatch: 'paid',
  })) {
    const id = await world.newReceipt()
    await world.needs.db.run(setStatus, [world.merchant.wallet, id, legacy])
    expect(await statusOf(id), legacy).toBe(canonical)
    expect((await world.detail(id)).status, legacy).toBe(canonical)
    // What is read as paid is as safe from a late failure as what was paid here.
    await world.move(id, 'failure_verified', { failure })
    expect(await statusOf(id), legacy).toBe(canonical)
    expectError(await report(await world.newReceipt(), legacy), 400, 'invalid_input', legacy)
  }
})

row('transition.new-pending', 'POST /api/receipts answers 201 pending with its payment URL', async () => {
  const response = await world.post('/api/receipts', receiptBody('fresh'))
  expect([response.status, response.body.status]).toEqual([201, 'pending'])
  expect(response.body.paymentUrl).toContain('/portal/fresh?')
  expect(await statusOf('fresh')).toBe('pending')
})

row('transition.new-generated', 'POST /api/receipts/terminal returns the receipt, generated', async () => {
  const { receiptId, status } = await sold()
  expect([status, await statusOf(receiptId)]).toEqual(['generated', 'generated'])
})

row('transition.pending-failed', 'keeps the failure and owes the webhook together', async () => {
  const id = await isReached('failed')
  expect(await world.status(id)).toMatchObject(tooSmall)
  expect(await world.told(id)).toMatchObject([{ status: 'failed', previousStatus: 'pending', ...tooSmall }])
  const other = await world.newReceipt(receiptBody('tiny', 0.5, hook))
  await withoutTable(world, 'notice', async () => {
    expectError(await world.ask(other), 500, 'failed')
    expect(await statusOf(other)).toBe('pending')
  })
  expect(await world.told(other)).toEqual([])
  expectError(await world.ask(other), 400, 'invalid_amount')
  expect(await world.told(other)).toMatchObject([{ status: 'failed', ...tooSmall }])
})

row('transition.any-paid', 'an admin may take any unsettled receipt for paid, and nobody else', async () => {
  for (const state of ['generated', 'pending', 'failed', 'refund_requested']) {
    const id = await isReached(state)
    const body = { receiptId: id, wallet: world.merchant.wallet, status: 'checkout_success' }
    for (const options of [{}, { key: world.merchant.key }])
      expectError(await world.call('POST', '/api/receipts/status', { body, ...options }), 403, 'forbidden')
    expect((await report(id, 'checkout_success')).body).toEqual({ ok: true })
    expect(await statusOf(id), state).toBe('paid')
  }
  for (const state of ['paid', 'refunded']) {
    const id = await isReached(state)
    expect((await report(id, 'checkout_success')).body).toEqual({ ok: true })
    expect(await statusOf(id)).toBe(state)
  }
})

row('rule.1.telemetry', 'moves nothing and tells nothing, from whomever and in whatever state', async () => {
  const values = ['link_opened', 'buyer_logged_in', 'checkout_initialized', 'error', 'onramp_']
  const onramp = ['rejected', 'failed', 'checkout_success', 'refund_requested', 'session closed: 4/4']
  const all = [...values, ...onramp.map((each) => `onramp_${each}`)]
  for (const state of Object.keys(ways)) {
    const id = await isReached(state)
    const before = await world.detail(id)
    const told = await world.told(id)
    for (const status of all) {
      const body = { receiptId: id, wallet: world.merchant.wallet, status }
      for (const options of [{}, { key: world.merchant.key }, { session: world.owner }]) {
        const response = await world.call('POST', '/api/receipts/status', { body, ...options })
        expect([response.status, response.body], `${status} of a ${state} receipt`).toEqual([
          200,
          { ok: true },
        ])
      }
    }
    const { telemetry, ...after } = await world.detail(id)
    expect(after).toEqual({ ...before, telemetry: undefined })
    const counted = telemetry.map(({ value, count }: { value: string; count: number }) => [value, count])
    expect(counted.toSorted()).toEqual(all.map((value) => [value, 3]).toSorted())
    expect(await world.told(id)).toEqual(told)
  }
})

row(
  'rule.2.stale-failure',
  'leaves what was accepted or paid as it is, and gives way to a payment',
  async () => {
    const accepted: Readonly<Record<string, (id: string, sessionId: string) => Promise<unknown>>> = {
      'paid - ach pending': (_, sessionId) => world.report(sessionId, { kind: 'ach_pending' }),
      paid: (id) => world.takeForPaid(id),
      refund_requested: async (id) => {
        await world.takeForPaid(id)
        await report(id, 'refund_requested')
      },
      refunded: async (id) => {
        await world.takeForPaid(id)
        await refund(id, 3.5)
      },
    }
    for (const [state, way] of Object.entries(accepted)) {
      const { id, sessionId } = await world.newCardReceipt(hook)
      await way(id, sessionId)
      const before = (await world.told(id)).length
      await world.report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
      expect(await world.status(id)).toMatchObject({ status: state, ...noFailure })
      expect(await world.told(id)).toHaveLength(before)
    }
    const { id, sessionId } = await world.newCardReceipt(hook)
    await world.report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
    expect(await statusOf(id)).toBe('failed')
    await world.report(sessionId, { kind: 'accepted' })
    expect(await statusOf(id)).toBe('paid')
  },
)

row('rule.3.others', 'transitions are not taken: the receipt stays as it was', async () => {
  for (const state of ['pending', 'generated', 'failed', 'paid - ach pending', 'refunded'] as const) {
    const id = await isReached(state)
    expect((await report(id, 'refund_requested')).status).toBe(200)
    expect(await statusOf(id), state).toBe(state)
  }
  const id = await isReached('pending')
  for (const kind of ['ach_returned', 'funds_distributed', 'refunds_complete'] as const)
    await world.move(id, kind)
  expect(await statusOf(id)).toBe('pending')
  for (const value of ['paid', 'pending', 'reconciled', 'refunded', 'refund_processed'])
    expectError(await report(id, value), 400, 'invalid_input', value)
})

const setStatus = {
  name: 'test-set-status',
  text: 'UPDATE receipt SET status = $3 WHERE merchant = $1 AND id = $2',
}
