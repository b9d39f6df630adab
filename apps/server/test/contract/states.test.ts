import { describeFailure, noFailure } from '@sluice/protocol/failures.ts'
import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, withoutTable } from '../support/api/expect-errors.ts'
import { tooSmall } from '../support/api/merchant-api.ts'
import { startOnrampApi } from '../support/api/onramp.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startOnrampApi)
const failure = describeFailure('PORTAL_PAY_ISSUER_DECLINED')
const hook = { webhook_url: 'https://shop.example.com/hook' }

const statusOf = async (id: string) => (await context.status(id)).status
const report = (receiptId: string, status: string) =>
  context.postAsOwner('/api/receipts/status', { receiptId, wallet: context.merchant.wallet, status })
const refund = (receiptId: string, usd: number) => {
  const wallets = { wallet: context.merchant.wallet, buyer: newWallet().wallet }
  return context.postAsOwner('/api/receipts/refund', { receiptId, usd, ...wallets })
}
const sold = async () =>
  (await context.postAsOwner('/api/receipts/terminal', { amountUsd: 3.5 })).body.receipt

/** Creates a receipt in each state that HTTP requests can reach. */
const ways: Readonly<Record<string, () => Promise<string>>> = {
  generated: async () => (await sold()).receiptId,
  pending: () => context.newReceipt(hook),
  paid: () => paid(),
  failed: () => context.newFailedReceipt(hook),
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
  const id = await context.newReceipt(hook)
  await context.takeForPaid(id)
  return id
}
async function reported(kind: 'ach_pending' | 'settled' | 'failed'): Promise<string> {
  const { id, sessionId } = await context.newCardReceipt(hook)
  await context.report(sessionId, { kind, ...(kind === 'failed' && { errorCode: 'card_declined' }) })
  return id
}
async function isReached(state: string, way = ways[state]): Promise<string> {
  const id = (await way?.()) ?? ''
  expect(await statusOf(id)).toBe(state)
  expect((await context.detail(id)).status).toBe(state)
  return id
}

row('state.generated', 'is the initial status of a terminal receipt', () => isReached('generated'))
row('state.pending', 'is the initial status of a receipt from the API', () => isReached('pending'))
row('state.paid', 'follows a payment that the server verified or the provider signed', async () => {
  await isReached('paid')
  const id = await isReached('paid', () => reported('settled'))
  expect((await context.detail(id)).payment.provenBy).toBe('provider')
})

row(
  'state.paid-ach-pending',
  'follows an accepted bank payment, which then settles or is returned',
  async () => {
    const ends = { settled: 'paid', returned: 'failed' } as const
    for (const kind of ['settled', 'returned'] as const) {
      const { id, sessionId } = await context.newCardReceipt(hook)
      await context.report(sessionId, { kind: 'ach_pending' })
      await isReached('paid - ach pending', async () => id)
      await context.report(sessionId, {
        kind,
        ...(kind === 'returned' && { errorCode: 'insufficient_funds' }),
      })
      expect(await statusOf(id)).toBe(ends[kind])
      const sent = (await context.reported(id)).map(({ status }: { status: string }) => status)
      expect(sent).toEqual(['paid - ach pending', ends[kind]])
    }
  },
)

row('state.failed', 'follows a failure that the server verified or the provider signed', async () => {
  await isReached('failed')
  await isReached('failed', () => reported('failed'))
})
row('state.refund_requested', 'follows a refund request', () => isReached('refund_requested'))
row('state.refunded', 'follows a refund of the full amount', () => isReached('refunded'))

row('state.legacy', 'values are read as their current equivalents and cannot be set', async () => {
  for (const [legacy, canonical] of Object.entries({
    completed: 'paid',
    ach_pending: 'paid - ach pending',
    rejected: 'failed',
    abandoned: 'failed',
    tx_mined: 'paid',
    recipient_validated: 'paid',
    tx_mismatch: 'paid',
  })) {
    const id = await context.newReceipt()
    await context.needs.db.run(setStatus, [context.merchant.wallet, id, legacy])
    expect(await statusOf(id), legacy).toBe(canonical)
    expect((await context.detail(id)).status, legacy).toBe(canonical)
    // A late failure also does not change a legacy status that maps to paid.
    await context.move(id, 'failure_verified', { failure })
    expect(await statusOf(id), legacy).toBe(canonical)
    expectError(await report(await context.newReceipt(), legacy), 400, 'invalid_input', legacy)
  }
})

row('transition.new-pending', 'POST /api/receipts returns 201, pending and the payment URL', async () => {
  const response = await context.post('/api/receipts', receiptBody('fresh'))
  expect([response.status, response.body.status]).toEqual([201, 'pending'])
  expect(response.body.paymentUrl).toContain('/portal/fresh?')
  expect(await statusOf('fresh')).toBe('pending')
})

row('transition.new-generated', 'POST /api/receipts/terminal returns a generated receipt', async () => {
  const { receiptId, status } = await sold()
  expect([status, await statusOf(receiptId)]).toEqual(['generated', 'generated'])
})

row('transition.pending-failed', 'stores the failure and the webhook in one transaction', async () => {
  const id = await isReached('failed')
  expect(await context.status(id)).toMatchObject(tooSmall)
  expect(await context.reported(id)).toMatchObject([
    { status: 'failed', previousStatus: 'pending', ...tooSmall },
  ])
  const other = await context.newReceipt(receiptBody('tiny', 0.5, hook))
  await withoutTable(context, 'outbox_message', async () => {
    expectError(await context.ask(other), 500, 'failed')
    expect(await statusOf(other)).toBe('pending')
  })
  expect(await context.reported(other)).toEqual([])
  expectError(await context.ask(other), 400, 'invalid_amount')
  expect(await context.reported(other)).toMatchObject([{ status: 'failed', ...tooSmall }])
})

row(
  'transition.any-paid',
  'an admin can set paid on any unsettled receipt; other callers get 403',
  async () => {
    for (const state of ['generated', 'pending', 'failed', 'refund_requested']) {
      const id = await isReached(state)
      const body = { receiptId: id, wallet: context.merchant.wallet, status: 'checkout_success' }
      for (const options of [{}, { key: context.merchant.key }])
        expectError(
          await context.call('POST', '/api/receipts/status', { body, ...options }),
          403,
          'forbidden',
        )
      expect((await report(id, 'checkout_success')).body).toEqual({ ok: true })
      expect(await statusOf(id), state).toBe('paid')
    }
    for (const state of ['paid', 'refunded']) {
      const id = await isReached(state)
      expect((await report(id, 'checkout_success')).body).toEqual({ ok: true })
      expect(await statusOf(id)).toBe(state)
    }
  },
)

row('rule.1.telemetry', 'changes no status and sends no webhook, for any caller and any status', async () => {
  const values = ['link_opened', 'buyer_logged_in', 'checkout_initialized', 'error', 'onramp_']
  const onramp = ['rejected', 'failed', 'checkout_success', 'refund_requested', 'session closed: 4/4']
  const all = [...values, ...onramp.map((each) => `onramp_${each}`)]
  for (const state of Object.keys(ways)) {
    const id = await isReached(state)
    const before = await context.detail(id)
    const sent = await context.reported(id)
    for (const status of all) {
      const body = { receiptId: id, wallet: context.merchant.wallet, status }
      for (const options of [{}, { key: context.merchant.key }, { session: context.owner }]) {
        const response = await context.call('POST', '/api/receipts/status', { body, ...options })
        expect([response.status, response.body], `${status} of a ${state} receipt`).toEqual([
          200,
          { ok: true },
        ])
      }
    }
    const { telemetry, ...after } = await context.detail(id)
    expect(after).toEqual({ ...before, telemetry: undefined })
    const counted = telemetry.map(({ value, count }: { value: string; count: number }) => [value, count])
    expect(counted.toSorted()).toEqual(all.map((value) => [value, 3]).toSorted())
    expect(await context.reported(id)).toEqual(sent)
  }
})

row(
  'rule.2.stale-failure',
  'does not change an accepted or paid receipt; a payment replaces a failure',
  async () => {
    const accepted: Readonly<Record<string, (id: string, sessionId: string) => Promise<unknown>>> = {
      'paid - ach pending': (_, sessionId) => context.report(sessionId, { kind: 'ach_pending' }),
      paid: (id) => context.takeForPaid(id),
      refund_requested: async (id) => {
        await context.takeForPaid(id)
        await report(id, 'refund_requested')
      },
      refunded: async (id) => {
        await context.takeForPaid(id)
        await refund(id, 3.5)
      },
    }
    for (const [state, way] of Object.entries(accepted)) {
      const { id, sessionId } = await context.newCardReceipt(hook)
      await way(id, sessionId)
      const before = (await context.reported(id)).length
      await context.report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
      expect(await context.status(id)).toMatchObject({ status: state, ...noFailure })
      expect(await context.reported(id)).toHaveLength(before)
    }
    const { id, sessionId } = await context.newCardReceipt(hook)
    await context.report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
    expect(await statusOf(id)).toBe('failed')
    await context.report(sessionId, { kind: 'accepted' })
    expect(await statusOf(id)).toBe('paid')
  },
)

row('rule.3.others', 'other transitions leave the receipt unchanged', async () => {
  for (const state of ['pending', 'generated', 'failed', 'paid - ach pending', 'refunded'] as const) {
    const id = await isReached(state)
    expect((await report(id, 'refund_requested')).status).toBe(200)
    expect(await statusOf(id), state).toBe(state)
  }
  const id = await isReached('pending')
  for (const kind of ['ach_returned', 'funds_distributed', 'refunds_complete'] as const)
    await context.move(id, kind)
  expect(await statusOf(id)).toBe('pending')
  for (const value of ['paid', 'pending', 'reconciled', 'refunded', 'refund_processed'])
    expectError(await report(id, value), 400, 'invalid_input', value)
})

const setStatus = {
  name: 'test-set-status',
  text: 'UPDATE receipt SET status = $3 WHERE merchant = $1 AND id = $2',
}
