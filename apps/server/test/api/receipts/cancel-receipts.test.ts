import { beforeEach, describe, expect, test } from 'vitest'
import { logInAs } from '../../support/api/sessions.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(() => startPayments())
beforeEach(() => context.syncClock())

const cancel = (id: string, key: string = context.merchant.key) =>
  context.api.call('POST', `/api/receipts/${id}/cancel`, { key })

test('a cashier cancels a sale of the terminal, and nothing that was made elsewhere', async () => {
  const session = await logInAs(context.api, context.merchant.wallet, 'cashier')
  const cancelAs = (id: string, by = session) =>
    context.api.call('POST', `/api/receipts/${id}/cancel`, { session: by })
  const sell = async () => {
    const sold = await context.api.call('POST', '/api/receipts/terminal', { session, body: { amountUsd: 3 } })
    return sold.body.receipt.receiptId as string
  }
  const sale = await sell()
  expect(await cancelAs(sale)).toMatchObject({ status: 200, body: { id: sale, ok: true } })
  const { timeline } = await context.detail(sale)
  expect(timeline.at(-1)).toMatchObject({ kind: 'cancelled', detail: { by: session.wallet } })

  await context.newReceipt('from-the-web', 10)
  expect(await cancelAs('from-the-web')).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  expect((await context.detail('from-the-web')).cancelledAt).toBeNull()
  const paid = await sell()
  await context.pay(await context.attempt(paid, 'USDC'), 'transfer')
  await context.mine()
  await context.scan()
  expect(await cancelAs(paid)).toMatchObject({ status: 400, body: { error: 'invalid_input' } })
  const other = await logInAs(context.api, (await context.api.addMerchant()).wallet, 'cashier')
  expect((await cancelAs(await sell(), other)).status).toBe(404)
  for (const role of ['developer', 'viewer'] as const)
    expect(
      (await cancelAs(await sell(), await logInAs(context.api, context.merchant.wallet, role))).status,
    ).toBe(403)
})

describe('POST /api/receipts/{id}/cancel', () => {
  test('takes back every offer and tells nobody; the status stays, and so does the time when it is repeated', async () => {
    await context.newReceipt('taken-back', 10)
    const attempt = await context.attempt('taken-back', 'USDC')
    const first = await cancel('taken-back')
    expect(first).toMatchObject({ status: 200, body: { ok: true, id: 'taken-back', status: 'pending' } })
    await context.api.clock.advance(1_000)
    expect((await cancel('taken-back')).body).toEqual(first.body)
    const { cancelledAt } = first.body
    expect(await context.checkout('taken-back')).toMatchObject({
      status: 'pending',
      cancelledAt,
      attempt: null,
    })
    const path = `/api/checkout/taken-back/attempts?recipient=${context.merchant.wallet}`
    expect(await context.api.call('POST', path, { body: { token: attempt.token } })).toMatchObject({
      status: 400,
      body: { error: 'invalid_input' },
    })
    expect(await context.messages('taken-back')).toEqual([])
    const { timeline, cancelledAt: shown } = await context.detail('taken-back')
    expect(shown).toBe(cancelledAt)
    expect(timeline.filter(({ kind }: { kind: string }) => kind === 'cancelled')).toHaveLength(1)
  })

  test('credits what was on its way', async () => {
    await context.newReceipt('on-its-way', 10)
    const attempt = await context.attempt('on-its-way', 'USDC')
    await cancel('on-its-way')
    await context.pay(attempt, 'transfer')
    await context.mine()
    await context.scan()
    expect(await context.checkout('on-its-way')).toMatchObject({ status: 'paid', payment: { missing: '0' } })
  })

  test('is refused once it is paid, and to everybody else', async () => {
    await context.newReceipt('paid', 10)
    await context.pay(await context.attempt('paid', 'USDC'), 'transfer')
    await context.mine()
    await context.scan()
    expect(await cancel('paid')).toMatchObject({ status: 400, body: { error: 'invalid_input' } })
    const other = await context.api.addMerchant()
    expect((await cancel('paid', other.key)).status).toBe(404)
    expect((await cancel('unknown')).status).toBe(404)
  })

  test('is kept where other content is posted under the id', async () => {
    await context.newReceipt('kept', 10)
    await cancel('kept')
    const body = { id: 'kept', lineItems: [{ label: 'Other', priceUsd: 3 }], totalUsd: 3 }
    const response = await context.api.call('POST', '/api/receipts', { key: context.merchant.key, body })
    expect(response).toMatchObject({ status: 409, body: { error: 'receipt_exists' } })
  })

  test('by a person is noted with the wallet', async () => {
    await context.newReceipt('by-hand', 10)
    const session = await logInAs(context.api, context.merchant.wallet, 'owner')
    const response = await context.api.call('POST', '/api/receipts/by-hand/cancel', { session })
    expect(response.status).toBe(200)
    const { timeline } = await context.detail('by-hand')
    expect(timeline.at(-1)).toMatchObject({ kind: 'cancelled', detail: { by: session.wallet } })
  })
})
