import { describeFailure, noFailure } from '@sluice/protocol/failures.ts'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ContractWorld, paidFacts, refusalOf, startContractWorld } from '../support/contract-world.ts'
import { newWallet } from '../support/log-in.ts'
import { row } from '../support/row.ts'

let world: ContractWorld
const failure = describeFailure('PORTAL_PAY_ISSUER_DECLINED')
const hook = { webhook_url: 'https://shop.example.com/hook' }

beforeAll(async () => {
  world = await startContractWorld()
  await world.addSplit(world.merchant.wallet)
})
afterAll(() => world?.stop())

const statusOf = async (id: string) => (await world.get(`/api/receipts/status?receiptId=${id}`)).body.status
const report = (receiptId: string, status: string) =>
  world.postAsOwner('/api/receipts/status', { receiptId, wallet: world.merchant.wallet, status })
const refund = (receiptId: string, usd: number) =>
  world.postAsOwner('/api/receipts/refund', {
    receiptId,
    usd,
    wallet: world.merchant.wallet,
    buyer: newWallet().wallet,
  })
const sold = async () => (await world.postAsOwner('/api/receipts/terminal', { amountUsd: 3.5 })).body.receipt
/** The webhooks owed for a receipt, oldest first. */
const owed = async (id: string) =>
  (await world.needs.db.rows<{ body: string }>(listBodies, [id])).map(({ body }) => JSON.parse(body))

/** A receipt in each state, by the way it comes about. */
const ways: Readonly<Record<string, () => Promise<string>>> = {
  generated: async () => (await sold()).receiptId,
  pending: () => world.newReceipt(hook),
  paid: () => moved(['payment_verified']),
  'paid - ach pending': () => moved(['ach_accepted']),
  reconciled: () => moved(['payment_verified', 'funds_distributed']),
  failed: () => moved(['failure_verified']),
  refund_requested: async () => {
    const id = await moved(['payment_verified'])
    await report(id, 'refund_requested')
    return id
  },
  refunded: async () => {
    const id = await moved(['payment_verified'])
    await refund(id, 3.5)
    return id
  },
}
async function moved(
  kinds: ('payment_verified' | 'ach_accepted' | 'funds_distributed' | 'failure_verified')[],
) {
  const id = await world.newReceipt(hook)
  for (const kind of kinds)
    await world.move(id, kind, kind === 'payment_verified' ? { paid: paidFacts } : { failure })
  return id
}
async function isReached(state: string): Promise<string> {
  const id = (await ways[state]?.()) ?? ''
  expect(await statusOf(id)).toBe(state)
  expect((await world.detail(id)).status).toBe(state)
  return id
}

row('state.generated', 'is where a receipt from the terminal begins', async () => {
  await isReached('generated')
})

row('state.pending', 'is where a receipt from the API begins', async () => {
  await isReached('pending')
})

row('state.paid', 'follows a payment that the server verified', async () => {
  await isReached('paid')
})

row('state.paid-ach-pending', 'follows an accepted bank payment, which may still come back', async () => {
  const id = await isReached('paid - ach pending')
  await world.move(id, 'ach_returned', { failure })
  expect(await statusOf(id)).toBe('failed')
})

row('state.reconciled', 'follows the distribution of what was paid', async () => {
  await isReached('reconciled')
})

row('state.failed', 'follows a failure that the server verified', async () => {
  await isReached('failed')
})

row('state.refund_requested', 'follows the request for a refund', async () => {
  await isReached('refund_requested')
})

row('state.refunded', 'follows the refund of the last cent', async () => {
  await isReached('refunded')
})

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
    expect(refusalOf(await report(await world.newReceipt(), legacy)), legacy).toEqual([400, 'invalid_input'])
  }
})

row('transition.new-pending', 'POST /api/receipts answers 201 pending with its payment URL', async () => {
  const body = { id: 'fresh', lineItems: [{ label: 'Tea', priceUsd: 3.5 }], totalUsd: 3.5 }
  const answer = await world.post('/api/receipts', body)
  expect([answer.status, answer.body.status]).toEqual([201, 'pending'])
  expect(answer.body.paymentUrl).toContain('/portal/fresh?')
  expect(await statusOf('fresh')).toBe('pending')
})

row('transition.new-generated', 'POST /api/receipts/terminal returns the receipt, generated', async () => {
  const { receiptId, status } = await sold()
  expect([status, await statusOf(receiptId)]).toEqual(['generated', 'generated'])
})

row('transition.pending-failed', 'keeps the failure and owes the webhook together', async () => {
  const id = await isReached('failed')
  expect((await world.get(`/api/receipts/status?receiptId=${id}`)).body).toMatchObject(failure)
  expect(await owed(id)).toMatchObject([{ status: 'failed', previousStatus: 'pending', ...failure }])
  const { db } = world.needs
  const other = await world.newReceipt(hook)
  await db.run({ name: '', text: 'ALTER TABLE notice RENAME TO hidden_away' })
  await expect(world.move(other, 'failure_verified', { failure })).rejects.toThrow()
  await db.run({ name: '', text: 'ALTER TABLE hidden_away RENAME TO notice' })
  expect(await statusOf(other)).toBe('pending')
})

row('transition.any-paid', 'an admin may take any unsettled receipt for paid, and nobody else', async () => {
  for (const state of ['generated', 'pending', 'failed', 'paid - ach pending', 'refund_requested']) {
    const id = await isReached(state)
    const body = { receiptId: id, wallet: world.merchant.wallet, status: 'checkout_success' }
    for (const options of [{}, { key: world.merchant.key }])
      expect(refusalOf(await world.call('POST', '/api/receipts/status', { body, ...options }))).toEqual([
        403,
        'forbidden',
      ])
    expect((await report(id, 'checkout_success')).body).toEqual({ ok: true })
    expect(await statusOf(id), state).toBe('paid')
  }
  for (const state of ['paid', 'reconciled', 'refunded']) {
    const id = await isReached(state)
    expect((await report(id, 'checkout_success')).body).toEqual({ ok: true })
    expect(await statusOf(id)).toBe(state)
  }
})

row('rule.1.telemetry', 'moves nothing and owes nothing, from whomever and in whatever state', async () => {
  for (const state of Object.keys(ways)) {
    const id = await isReached(state)
    const before = (await owed(id)).length
    for (const status of [
      'link_opened',
      'buyer_logged_in',
      'checkout_initialized',
      'error',
      'onramp_rejected',
    ]) {
      expect((await report(id, status)).body).toEqual({ ok: true })
      const body = { receiptId: id, wallet: world.merchant.wallet, status }
      expect((await world.call('POST', '/api/receipts/status', { body })).body).toEqual({ ok: true })
    }
    expect(await statusOf(id)).toBe(state)
    expect(await owed(id)).toHaveLength(before)
  }
})

row('rule.2.stale-failure', 'leaves what was accepted or paid as it is, and owes nothing', async () => {
  for (const state of ['paid', 'paid - ach pending', 'reconciled', 'refund_requested', 'refunded']) {
    const id = await isReached(state)
    const before = (await owed(id)).length
    await world.move(id, 'failure_verified', { failure })
    const { body } = await world.get(`/api/receipts/status?receiptId=${id}`)
    expect(body).toMatchObject({ status: state, ...noFailure })
    expect(await owed(id)).toHaveLength(before)
  }
})

row('rule.3.others', 'transitions are not taken: the receipt stays as it was', async () => {
  for (const [state, value] of [
    ['pending', 'refund_requested'],
    ['generated', 'refund_requested'],
    ['failed', 'refund_requested'],
    ['paid - ach pending', 'refund_requested'],
    ['refunded', 'refund_requested'],
  ] as const) {
    const id = await isReached(state)
    expect((await report(id, value)).status).toBe(200)
    expect(await statusOf(id), state).toBe(state)
  }
  const id = await isReached('pending')
  for (const kind of ['ach_returned', 'funds_distributed', 'refunds_complete'] as const)
    await world.move(id, kind)
  expect(await statusOf(id)).toBe('pending')
  for (const value of ['paid', 'pending', 'reconciled', 'refunded', 'refund_processed'])
    expect(refusalOf(await report(id, value)), value).toEqual([400, 'invalid_input'])
})

const listBodies = {
  name: 'test-list-owed-bodies',
  text: 'SELECT body FROM notice WHERE subject = $1 ORDER BY sequence',
}

const setStatus = {
  name: 'test-set-status',
  text: 'UPDATE receipt SET status = $3 WHERE merchant = $1 AND id = $2',
}
