import type { MemberRole } from '@sluice/protocol/api/access.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { logInAs, newWallet } from '../../support/api/sessions.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { startRefunds } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const bench = perFile(startRefunds)
beforeEach(() => bench.logIn())

const refund = (body: object, options?: object) => bench.refund(body, options)
const detail = (id: string) => bench.detail(id)
const paid = (...args: Parameters<typeof bench.paid>) => bench.paid(...args)

describe('without a transaction', () => {
  test('a part of it leaves the status; the rest makes the receipt refunded, which is told once', async () => {
    const receiptId = await paid(20)
    const items = [{ label: 'Cup', priceUsd: 5, qty: 1 }]
    const first = await refund({ receiptId, usd: 5, items })
    expect([first.status, first.body]).toEqual([200, { ok: true }])
    expect(first.headers.get('x-correlation-id')).toBeTruthy()
    const half = await detail(receiptId)
    expect(half.status).toBe('paid')
    expect(half.refunds).toEqual([
      {
        id: expect.any(String),
        kind: 'price',
        usd: 5,
        buyer: bench.payee,
        items,
        txHash: null,
        mark: null,
        error: null,
        isCounted: true,
        by: bench.owner.wallet,
        createdAt: bench.api.clock.now(),
      },
    ])
    const logged = { usd: '5', by: bench.owner.wallet }
    expect(half.timeline.at(-1)).toMatchObject({ kind: 'refund_logged', detail: logged })
    expect((await refund({ receiptId, usd: 15 })).status).toBe(200)
    const whole = await detail(receiptId)
    expect(whole.status).toBe('refunded')
    const messages = await bench.messages(receiptId)
    const changes = messages.map(({ body }) => `${body.previousStatus} to ${body.status}`)
    expect(changes).toEqual(['pending to paid', 'paid to refunded'])
    const audit = await bench.api.call('GET', '/api/audit', { session: bench.owner })
    expect(audit.body.entries[0]).toMatchObject({ action: 'refund.logged', subject: receiptId })
  })

  test('a requested refund becomes refunded when all is given back', async () => {
    const receiptId = await paid(8)
    const body = { receiptId, wallet: bench.merchant.wallet, status: 'refund_requested' }
    await bench.api.call('POST', '/api/receipts/status', { session: bench.owner, body })
    await refund({ receiptId, usd: 3 })
    expect((await detail(receiptId)).status).toBe('refund_requested')
    await refund({ receiptId, usd: 5 })
    expect((await detail(receiptId)).status).toBe('refunded')
  })
})

describe('never more than was paid', () => {
  test('beyond the customer’s total, before payment, and after everything was given back: invalid_usd', async () => {
    const receiptId = await paid(10)
    expectApiError(await refund({ receiptId, usd: 10.01 }), 400, 'invalid_usd')
    await refund({ receiptId, usd: 7.5 })
    expect((await refund({ receiptId, usd: 2.51 })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 2.5 })).status).toBe(200)
    expect((await refund({ receiptId, usd: 0.01 })).body.error).toBe('invalid_usd')
    const unpaid = bench.newId()
    await bench.newReceipt(unpaid, 10)
    expectApiError(await refund({ receiptId: unpaid, usd: 1 }), 400, 'invalid_usd')
  })

  test('ten people refunding at one moment give back the total and not a cent more', async () => {
    const receiptId = await paid(10)
    const responses = await Promise.all(Array.from({ length: 10 }, () => refund({ receiptId, usd: 3 })))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(responses.filter(({ body }) => body.error === 'invalid_usd')).toHaveLength(7)
    const refunds: { usd: number }[] = (await detail(receiptId)).refunds
    expect(refunds.reduce((sum, { usd }) => sum + usd, 0)).toBe(9)
  })

  test('what was paid beyond the total is given back apart from it, and no more of that either', async () => {
    const receiptId = await paid(10, 'USDC', 2_500_000n)
    expect((await refund({ receiptId, usd: 12.5 })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 2.51, excess: true })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 2.5, excess: true })).status).toBe(200)
    expect((await detail(receiptId)).status).toBe('paid')
    expect((await refund({ receiptId, usd: 0.01, excess: true })).body.error).toBe('invalid_usd')
    expect((await refund({ receiptId, usd: 10 })).status).toBe(200)
    expect((await detail(receiptId)).status).toBe('refunded')
  })
})

describe('of a receipt that is paid in part', () => {
  async function partPaid() {
    const id = bench.newId()
    const attempt = await bench.open(id, 10, 'USDC')
    await bench.payAndScan(attempt, 'transfer', 4_000_000n)
    await bench.mineAndScan(6)
    await bench.syncClock()
    return { id, attempt }
  }
  const questions = async (): Promise<string[]> => {
    const { body } = await bench.api.call('GET', '/api/payments/questions', { key: bench.merchant.key })
    return body.receipts.map(({ receiptId }: { receiptId: string }) => receiptId)
  }

  test.each(['open', 'cancelled'])('what was credited can be refunded, no more: %s', async (kind) => {
    const { id } = await partPaid()
    if (kind === 'cancelled') {
      await bench.asOwner('POST', `/api/receipts/${id}/cancel`)
      expect(await questions()).toContain(id)
    }
    expect((await detail(id)).payment).toMatchObject({ state: 'short', creditedUsd: 4 })
    expectApiError(await refund({ receiptId: id, usd: 4.01 }), 400, 'invalid_usd')
    expectApiError(await refund({ receiptId: id, usd: 1, excess: true }), 400, 'invalid_usd')
    const txHash = await bench.sendBack(bench.payee, 'USDC', 4_000_000n)
    expect((await refund({ receiptId: id, usd: 4, txHash })).status).toBe(200)
    await bench.verify()
    const after = await detail(id)
    expect(after.refunds[0]).toMatchObject({ mark: 'recipient_validated', isCounted: true })
    expect([after.status, after.cancelledAt]).toEqual(['pending', expect.any(Number)])
    expect(await questions()).not.toContain(id)
    expect(await bench.checkout(id)).toMatchObject({ refundedUsd: 4, refunds: [{ usd: 4 }], attempt: null })
  })

  test('what comes after a refund is an unmatched payment, so that the rest alone never pays it', async () => {
    const { id, attempt } = await partPaid()
    await refund({ receiptId: id, usd: 4 })
    const { hash } = await bench.pay(attempt, 'transfer', 6_000_000n)
    await bench.mineAndScan(6)
    expect(await bench.status(id)).toBe('pending')
    const unmatched = await bench.fromInbox(hash)
    expect(unmatched.reason).toBe('receipt-settled')
    const applied = await bench.decide(unmatched.id, { action: 'apply', receiptId: id })
    expectApiError(applied, 400, 'invalid_input')
  })
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  const broken = await findBroken(bench.needs.db, bench.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})

describe('400', () => {
  test.each([
    ['missing_receipt_id', { usd: 1 }],
    ['missing_receipt_id', { receiptId: '', usd: 1 }],
    ['missing_receipt_id', { receiptId: 7, usd: 1 }],
    ['invalid_wallet', { receiptId: 'a', wallet: '0x1', usd: 1 }],
    ['invalid_wallet', { receiptId: 'a', wallet: undefined, buyer: undefined }],
    ['invalid_buyer', { receiptId: 'a', buyer: undefined, usd: 1 }],
    ['invalid_buyer', { receiptId: 'a', buyer: 'bob', usd: 1 }],
    ['invalid_usd', { receiptId: 'a' }],
    ['invalid_usd', { receiptId: 'a', usd: 0 }],
    ['invalid_usd', { receiptId: 'a', usd: -1 }],
    ['invalid_usd', { receiptId: 'a', usd: '1' }],
    ['invalid_usd', { receiptId: 'a', usd: null }],
    ['invalid_usd', { receiptId: 'a', usd: 1.001 }],
    ['invalid_usd', { receiptId: 'a', usd: 1e300 }],
    ['invalid_input', { receiptId: 'a b', usd: 1 }],
    ['invalid_input', { receiptId: 'a', usd: 1, txHash: '0x12' }],
    ['invalid_input', { receiptId: 'a', usd: 1, txHash: '' }],
    ['invalid_input', { receiptId: 'a', usd: 1, items: [{ label: 'Cup' }] }],
    ['invalid_input', { receiptId: 'a', usd: 1, items: 'cup' }],
    ['invalid_input', { receiptId: 'a', usd: 1, excess: 'yes' }],
  ])('%s: %j', async (error, body) => {
    expectApiError(await refund(body), 400, error)
  })
})

describe('who may not', () => {
  test('an unknown receipt is 404; another merchant’s wallet is 403', async () => {
    expect((await refund({ receiptId: 'never-made', usd: 1 })).status).toBe(404)
    const response = await refund({ receiptId: 'never-made', usd: 1, wallet: newWallet().wallet })
    expectApiError(response, 403, 'forbidden')
  })

  test('a key is 403, nobody 401, other roles 403', async () => {
    const body = { receiptId: 'a', usd: 1 }
    expect((await refund(body, { key: bench.merchant.key })).status).toBe(403)
    expect((await refund(body, {})).status).toBe(401)
    for (const role of ['developer', 'cashier', 'viewer'] satisfies MemberRole[]) {
      const session = await logInAs(bench.api, bench.merchant.wallet, role)
      expect((await refund(body, { session })).status).toBe(403)
    }
  })

  test('a login older than five minutes has to be renewed', async () => {
    bench.api.clock.jumpTo(bench.api.clock.now() + 301_000)
    const response = await refund({ receiptId: 'a', usd: 1 })
    expectApiError(response, 403, 'forbidden')
    expect(response.body.reason).toBe('reauthentication_required')
  })
})
