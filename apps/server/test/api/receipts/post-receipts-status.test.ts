import type { MemberRole } from '@sluice/protocol/api/access.ts'
import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, readReceipt, receiptBody, takeForPaid } from '../../support/api/receipts.ts'
import { logIn, logInAs, newWallet } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const operator = newWallet()
const api = perFile(() => startApi({ operatorWallets: [operator.wallet] }))
const merchant = perFile(() => api.addMerchant())
const owner = perFile(() => logInAs(api, merchant.wallet, 'owner'))
let count = 0

async function newReceipt(): Promise<string> {
  const id = `r-${++count}`
  await makeReceipt(api, merchant, receiptBody(id, 3.5, { webhook_url: 'https://shop.example.com/hook' }))
  return id
}
const report = (body: object, options: object = {}) =>
  api.call('POST', '/api/receipts/status', { body: { wallet: merchant.wallet, ...body }, ...options })
const detail = (id: string) => readReceipt(api, merchant, id)
const keysOwed = async (id: string) => {
  const text =
    'SELECT idempotency_key FROM outbox_message WHERE merchant = $1 AND subject = $2 ORDER BY sequence'
  const statement = { name: 'test-list-keys', text }
  const rows = await api.needs.db.rows<{ idempotency_key: string }>(statement, [merchant.wallet, id])
  return rows.map((row) => row.idempotency_key)
}

describe('telemetry', () => {
  const limited = perFile(() => startApi({ beside: api, rateLimitScale: 1 }))
  const reported = ['link_opened', 'buyer_logged_in', 'checkout_initialized', 'error', 'onramp_ui_loaded']
  test.each(
    reported,
  )('%s needs neither key nor session, is counted, and changes no status and owes no webhook', async (status) => {
    const receiptId = await newReceipt()
    for (let i = 0; i < 3; i++) {
      const response = await report({ receiptId, status })
      expect([response.status, response.body]).toEqual([200, { ok: true }])
      expect(response.headers.get('x-correlation-id')).toBeTruthy()
    }
    const after = await detail(receiptId)
    expect(after.status).toBe('pending')
    expect(after.timeline).toHaveLength(1)
    const now = api.clock.now()
    expect(after.telemetry).toEqual([{ value: status, count: 3, firstAt: now, lastAt: now }])
    expect(await keysOwed(receiptId)).toEqual([])
  })

  test('an unknown receipt and an unknown merchant are answered alike, and nothing is kept', async () => {
    for (const wallet of [merchant.wallet, newWallet().wallet]) {
      const response = await report({ receiptId: 'never-made', wallet, status: 'link_opened' })
      expect([response.status, response.body]).toEqual([200, { ok: true }])
    }
    const text = "SELECT 1 FROM receipt_telemetry WHERE receipt_id = 'never-made'"
    expect(await api.needs.db.rows({ name: 'test-strays', text })).toEqual([])
  })

  test('made-up values do not grow without end: beyond forty they are counted together', async () => {
    const receiptId = await newReceipt()
    for (let i = 0; i < 45; i++) await report({ receiptId, status: `onramp_v${i}` })
    const { telemetry } = await detail(receiptId)
    expect(telemetry).toHaveLength(41)
    expect(telemetry.find((each: { value: string }) => each.value === 'other').count).toBe(5)
    expect((await detail(receiptId)).status).toBe('pending')
  })

  test('each receipt has thirty reports a minute: then 429 with resetAt', async () => {
    const receiptId = await newReceipt()
    const body = { receiptId, wallet: merchant.wallet, status: 'link_opened' }
    const send = () => limited.call('POST', '/api/receipts/status', { body })
    for (let i = 0; i < 30; i++) expect((await send()).status).toBe(200)
    const last = await send()
    expectApiError(last, 429, 'rate_limited')
    expect(last.body.resetAt).toEqual(expect.any(Number))
  })
})

describe('400', () => {
  test.each([
    ['missing_receipt_id', { status: 'link_opened' }],
    ['missing_receipt_id', { receiptId: '', status: 'link_opened' }],
    ['missing_receipt_id', { receiptId: 7, status: 'link_opened' }],
    ['missing_receipt_id', { receiptId: null, wallet: 'no', status: 1 }],
    ['invalid_wallet', { receiptId: 'a', wallet: undefined, status: 'link_opened' }],
    ['invalid_wallet', { receiptId: 'a', wallet: '0x12', status: 'link_opened' }],
    ['invalid_wallet', { receiptId: 'a', wallet: 7 }],
    ['missing_status', { receiptId: 'a' }],
    ['missing_status', { receiptId: 'a', status: '' }],
    ['missing_status', { receiptId: 'a', status: true }],
    ['invalid_input', { receiptId: 'a b', status: 'link_opened' }],
    ['invalid_input', { receiptId: 'a', status: `onramp_${'x'.repeat(58)}` }],
    ['invalid_input', { receiptId: 'a', status: 'onramp_ä' }],
    ['invalid_input', { receiptId: 'a', status: 'link_opened', reason: 7 }],
  ])('%s: %j, whoever sends it', async (error, body) => {
    for (const options of [{}, { key: merchant.key }, { session: owner }]) {
      expectApiError(await report(body, options), 400, error)
    }
  })

  test('an unknown value with an admin session is invalid_input', async () => {
    const receiptId = await newReceipt()
    for (const status of ['paid', 'refunded', 'reconciled', 'LINK_OPENED', 'constructor', '__proto__']) {
      expectApiError(await report({ receiptId, status }, { session: owner }), 400, 'invalid_input', status)
    }
    expect((await detail(receiptId)).status).toBe('pending')
  })
})

describe('403', () => {
  const sensitive = ['checkout_success', 'refund_requested', 'paid', 'whatever']
  test.each(
    sensitive,
  )('%s from nobody, with a key, or with a bad credential changes nothing', async (status) => {
    const receiptId = await newReceipt()
    const badCookie = { headers: { cookie: 'cb_auth_token=bad' } }
    for (const options of [{}, { key: merchant.key }, { key: 'sk_test_bad' }, badCookie])
      expectApiError(await report({ receiptId, status }, options), 403, 'forbidden')
    expect((await detail(receiptId)).timeline).toHaveLength(1)
  })

  test('a session without the CSRF token, or from another origin, changes nothing', async () => {
    const receiptId = await newReceipt()
    const { cookie, csrfToken } = owner
    const origin = 'https://pay.example.com'
    for (const headers of [
      { cookie, origin },
      { cookie, 'x-csrf-token': csrfToken },
      { cookie, 'x-csrf-token': 'wrong', origin },
      { cookie, 'x-csrf-token': csrfToken, origin: 'https://evil.example.com' },
    ]) {
      expectApiError(await report({ receiptId, status: 'checkout_success' }, { headers }), 403, 'forbidden')
    }
    expect((await detail(receiptId)).status).toBe('pending')
  })

  test.each<MemberRole>(['developer', 'cashier', 'viewer'])('a %s may not', async (role) => {
    const session = await logInAs(api, merchant.wallet, role)
    const response = await report({ receiptId: await newReceipt(), status: 'checkout_success' }, { session })
    expectApiError(response, 403, 'forbidden')
  })

  test("another merchant's wallet is forbidden, whether the receipt exists or not", async () => {
    const other = await api.addMerchant()
    const stranger = await logInAs(api, other.wallet, 'owner')
    for (const receiptId of [await newReceipt(), 'never-made']) {
      const response = await report({ receiptId, status: 'checkout_success' }, { session: stranger })
      expectApiError(response, 403, 'forbidden')
    }
  })
})

test('an unknown receipt of one’s own is 404', async () => {
  const response = await report({ receiptId: 'never-made', status: 'checkout_success' }, { session: owner })
  expect([response.status, response.body]).toEqual([
    404,
    { error: 'not_found', message: 'Receipt not found' },
  ])
})

describe('an admin session', () => {
  test('checkout_success makes a receipt paid, recorded as manual with who and why, and tells the merchant', async () => {
    const receiptId = await newReceipt()
    const admin = await logInAs(api, merchant.wallet, 'admin')
    const reason = 'paid in cash at the counter'
    const response = await report({ receiptId, status: 'checkout_success', reason }, { session: admin })
    expect([response.status, response.body]).toEqual([200, { ok: true }])
    const after = await detail(receiptId)
    expect(after).toMatchObject({ status: 'paid', transactionHash: null })
    expect(after.timeline.at(-1)).toMatchObject({
      kind: 'status',
      fromStatus: 'pending',
      toStatus: 'paid',
      detail: { trigger: 'checkout_success', isManual: true, by: admin.wallet, role: 'admin', why: reason },
    })
    expect(await keysOwed(receiptId)).toEqual([`receipt-status:${receiptId}:paid:none`])
    const audit = await api.call('GET', '/api/audit', { session: owner })
    expect(audit.body.entries[0]).toMatchObject({
      actor: admin.wallet,
      action: 'receipt.status_reported',
      subject: receiptId,
      details: { status: 'checkout_success', why: reason },
    })
  })

  test('the same once more stays, answers ok and tells nobody', async () => {
    const receiptId = await newReceipt()
    const paid = { receiptId, status: 'checkout_success' }
    for (let i = 0; i < 2; i++) expect((await report(paid, { session: owner })).body).toEqual({ ok: true })
    expect((await detail(receiptId)).timeline).toHaveLength(2)
    expect(await keysOwed(receiptId)).toHaveLength(1)
  })

  test('a refund is requested and the request withdrawn; every change is told under a key of its own', async () => {
    const receiptId = await newReceipt()
    const say = async (status: string) => {
      expect((await report({ receiptId, status }, { session: owner })).status).toBe(200)
      return (await detail(receiptId)).status
    }
    expect(await say('refund_requested')).toBe('pending')
    expect(await say('checkout_success')).toBe('paid')
    expect(await say('refund_requested')).toBe('refund_requested')
    expect(await say('checkout_success')).toBe('paid')
    expect(await say('refund_requested')).toBe('refund_requested')
    const key = `receipt-status:${receiptId}`
    expect(await keysOwed(receiptId)).toEqual([
      `${key}:paid:none`,
      `${key}:refund_requested:none`,
      `${key}:paid:none:2`,
      `${key}:refund_requested:none:2`,
    ])
  })

  test('a failed receipt becomes paid; a failure after that changes nothing', async () => {
    const receiptId = await newReceipt()
    const failure = {
      failureCode: 'PORTAL_PAY_INSUFFICIENT_FUNDS',
      failureCategory: 'card_decline',
      failureReason: 'r',
      failureAction: 'a',
      providerErrorCode: 'insufficient_funds',
      providerRequestId: 'req_1',
    } as const
    const fail = () => api.move(merchant.wallet, receiptId, 'failure_verified', { failure })
    await fail()
    const status = () => api.call('GET', `/api/receipts/status?receiptId=${receiptId}`, { key: merchant.key })
    const failed = { status: 'failed', currency: 'USD', amount: 3.5, ...failure }
    expect((await status()).body).toMatchObject(failed)
    await report({ receiptId, status: 'checkout_success' }, { session: owner })
    expect((await status()).body).toMatchObject({ status: 'paid', failureCode: null, failureReason: null })
    expect((await fail()).kind).toBe('stayed')
    expect((await status()).body.status).toBe('paid')
  })

  test('the operator may for every merchant', async () => {
    const session = await logIn(api, operator)
    const receiptId = await newReceipt()
    await takeForPaid(api, merchant, session, receiptId)
    const byOperator = { by: operator.wallet, role: 'operator' }
    expect((await detail(receiptId)).timeline.at(-1).detail).toMatchObject(byOperator)
  })

  test('telemetry from an admin is telemetry', async () => {
    const receiptId = await newReceipt()
    expect((await report({ receiptId, status: 'error' }, { session: owner })).status).toBe(200)
    expect((await detail(receiptId)).status).toBe('pending')
  })
})
