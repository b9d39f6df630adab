import type { MemberRole } from '@sluice/protocol/api/access.ts'
import { describe, expect, test } from 'vitest'
import type { PaymentState } from '../../../src/receipts/receipt.ts'
import { recordProgress } from '../../../src/receipts/record-progress.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, readReceipt, receiptBody, takeForPaid } from '../../support/api/receipts.ts'
import { logInAs, type TestSession } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const owner = perFile(() => logInAs(api, merchant.wallet, 'owner'))
let count = 0

const euro = {
  currency: 'eur',
  lineItems: [
    { label: 'Coffee', amount: 10, qty: 2 },
    { label: 'Discount', amount: -1.5 },
  ],
}
const tea = { lineItems: [{ label: 'Tea', priceUsd: 2 }] }
async function newReceipt(more?: object): Promise<string> {
  const id = `p-${++count}`
  await makeReceipt(api, merchant, more ? { id, ...more } : receiptBody(id))
  return id
}
const patch = (id: string, body: unknown, session: TestSession | undefined = owner) =>
  api.call('PATCH', `/api/receipts/${id}`, { session, body })
const detail = (id: string) => readReceipt(api, merchant, id)
const setState = (id: string, state: PaymentState) =>
  api.needs.db.transaction((tx) =>
    recordProgress({ tx, clock: api.clock }, merchant.wallet, id as never, {
      payment: {
        state,
        token: 'USDC',
        decimals: 6,
        due: 1n as never,
        received: 0n as never,
        missing: 1n as never,
        excess: 0n as never,
        others: [],
        creditedCents: 0n as never,
        blockNumber: undefined,
        finality: 'none',
      },
    }),
  )

describe('200', () => {
  test('a legacy receipt gets other lines and another total; the history keeps who and what was', async () => {
    const id = await newReceipt()
    const response = await patch(id, { lineItems: [{ label: 'Tea', priceUsd: 2, qty: 3 }], totalUsd: 6 })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ ok: true, receipt: await detail(id) })
    const { receipt } = response.body
    expect(receipt).toMatchObject({
      totalUsd: 6,
      customerTotalUsd: 6,
      lineItems: [{ label: 'Tea', priceUsd: 2, qty: 3 }],
      status: 'pending',
    })
    expect(receipt.pricing).toBeUndefined()
    expect(receipt.timeline.at(-1)).toMatchObject({
      kind: 'edited',
      detail: {
        by: owner.wallet,
        before: { totalUsd: 3.5, lineItems: [{ label: 'Coffee', priceUsd: 3.5 }] },
      },
    })
  })

  test('native amounts follow at the receipt’s own rate, and what it was made with stays in pricing', async () => {
    const id = await newReceipt(euro)
    const before = await detail(id)
    const { usdPerUnit } = before.pricing.valuation
    const dearer = [
      { label: 'Tea', priceUsd: 21.6 },
      { label: 'Cake', priceUsd: 5.41 },
    ]
    const { receipt } = (await patch(id, { lineItems: dearer })).body
    expect(receipt.pricing).toEqual(before.pricing)
    expect(receipt.pricing.originalTotal).toBe(8.5)
    expect(receipt.pricing.originalLineItems).toEqual(euro.lineItems)
    expect(receipt.totalUsd).toBe(27.01)
    expect(receipt.total).toBe(Math.round((27.01 / usdPerUnit) * 100) / 100)
    const cents = (amounts: number[]) => amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0)
    const lines: { amount: number; priceUsd: number }[] = receipt.lineItems
    expect(cents(lines.map(({ amount }) => amount))).toBe(Math.round(receipt.total * 100))
    expect(cents(lines.map(({ priceUsd }) => priceUsd))).toBe(2701)
  })

  test('posting what made the receipt once more still gives the first answer and undoes no edit', async () => {
    const id = await newReceipt(euro)
    await patch(id, tea)
    await makeReceipt(api, merchant, { id, ...euro })
    expect((await detail(id)).totalUsd).toBe(2)
  })

  test.each<PaymentState>(['none', 'expired'])('it may be edited while its payment is %s', async (state) => {
    const id = await newReceipt()
    await setState(id, state)
    expect((await patch(id, tea)).status).toBe(200)
  })

  test('edits are in the audit log', async () => {
    const id = await newReceipt()
    await patch(id, tea)
    const { body } = await api.call('GET', '/api/audit', { session: owner })
    expect(body.entries[0]).toMatchObject({ action: 'receipt.edited', subject: id, actor: owner.wallet })
  })
})

describe('400', () => {
  const teaAt = (fields: object) => ({ lineItems: [{ label: 'Tea', ...fields }] })
  const noPrices = [{}, ...['2', -2, 0, 1e10].map((priceUsd) => ({ priceUsd }))].map(teaAt)
  test.each([
    ...[{}, { lineItems: [] }, { lineItems: [{ label: '', priceUsd: 2 }] }],
    ...noPrices,
    { ...tea, totalUsd: 3 },
    { ...teaAt({ priceUsd: 2, qty: 2 }), totalUsd: 3 },
    { lineItems: [2, 1e9, -1e9].map((priceUsd) => ({ label: 'Tea', priceUsd, qty: 2 })), totalUsd: 4 },
  ])('%j', async (body) => {
    const id = await newReceipt()
    expectApiError(await patch(id, body), 400, 'invalid_input')
    expect((await detail(id)).totalUsd).toBe(3.5)
  })
})

describe('409', () => {
  const begun: PaymentState[] = ['seen', 'short', 'paid', 'over', 'late', 'orphaned']
  test.each(begun)('attempt_open while its payment is %s', async (state) => {
    const id = await newReceipt()
    await setState(id, state)
    expectApiError(await patch(id, tea), 409, 'attempt_open')
    expect((await detail(id)).totalUsd).toBe(3.5)
  })

  test('attempt_open once it is paid', async () => {
    const id = await newReceipt()
    await takeForPaid(api, merchant, owner, id)
    expectApiError(await patch(id, tea), 409, 'attempt_open')
  })
})

describe('401, 403, 404', () => {
  test('a key alone is forbidden, nobody is unauthorized', async () => {
    const id = await newReceipt()
    const withKey = await api.call('PATCH', `/api/receipts/${id}`, { key: merchant.key, body: tea })
    expect(withKey.status).toBe(403)
    expect((await api.call('PATCH', `/api/receipts/${id}`, { body: tea })).status).toBe(401)
  })

  test.each<MemberRole>(['developer', 'cashier', 'viewer'])('a %s may not', async (role) => {
    const session = await logInAs(api, merchant.wallet, role)
    expect((await patch(await newReceipt(), tea, session)).status).toBe(403)
  })

  test('without the CSRF token it is forbidden', async () => {
    const id = await newReceipt()
    const headers = { cookie: owner.cookie, origin: 'https://pay.example.com' }
    expect((await api.call('PATCH', `/api/receipts/${id}`, { headers, body: tea })).status).toBe(403)
  })

  test("another merchant's receipt answers as one that does not exist", async () => {
    const other = await api.addMerchant()
    const stranger = await logInAs(api, other.wallet, 'owner')
    const foreign = await patch(await newReceipt(), tea, stranger)
    const absent = await patch('never-made', tea, stranger)
    expect([foreign.status, foreign.text]).toEqual([404, absent.text])
  })
})
