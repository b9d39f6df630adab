import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { followPages } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { logInAs, newWallet } from '../../support/api/sessions.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { startUnmatchedPayments } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(() => startUnmatchedPayments())
beforeEach(() => context.logIn())

describe('GET /api/payments/unmatched', () => {
  test('a second payment is there with everything known of it', async () => {
    const { id, payment } = await context.paidTwice(10)
    expect(payment).toEqual({
      id: expect.any(String),
      state: 'open',
      reason: 'receipt-settled',
      receiptId: id,
      suggestedReceiptId: null,
      token: 'USDC',
      tokenAddress: context.tokenAddress('USDC'),
      tokenName: null,
      amount: 10,
      amountRaw: '10000000',
      payer: context.buyer.address,
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      blockNumber: expect.any(Number),
      timestamp: expect.any(Number),
      decision: null,
      refund: null,
      claim: null,
      otherClaims: [],
    })
  })

  test.each(['USDC', 'ETH'] as const)('%s sent straight to the split names its sender', async (token) => {
    const id = await context.newTarget(12)
    const { payTo } = await context.attempt(id, 'USDC')
    const { hash } = await context.transfer(context.tokenAddress(token), payTo as Hex, 12_000n)
    await context.mine(6)
    await context.scan()
    await context.run(jobNames.scanDistributions)
    expect(await context.fromInbox(hash)).toMatchObject({ reason: 'direct', payer: context.buyer.address })
  })

  test('the cursor walks the whole inbox; a state narrows it down', async () => {
    for (let i = 0; i < 3; i++) await context.paidTwice(3 + i)
    const all = await context.list('?state=all')
    const { key } = context.merchant
    const path = '/api/payments/unmatched?state=all&limit=2'
    const pages = await followPages((more) => context.api.call('GET', path + more, { key }))
    expect(pages.flatMap(({ payments }) => payments)).toEqual(all)
    expect(await context.list('?state=kept')).toEqual([])
  })

  test('bad queries are 400, nobody 401, another merchant sees nothing', async () => {
    for (const query of ['?state=lost', '?limit=0', '?cursor=x']) {
      const response = await context.api.call('GET', `/api/payments/unmatched${query}`, {
        session: context.owner,
      })
      expectApiError(response, 400, 'invalid_input', query)
    }
    expect((await context.api.call('GET', '/api/payments/unmatched')).status).toBe(401)
    const other = await context.api.addMerchant()
    const foreign = await context.api.call('GET', '/api/payments/unmatched', { key: other.key })
    expect(foreign.body).toEqual({ payments: [], nextCursor: null })
  })
})

describe('refund and keep', () => {
  test('the checkout of the receipt names its transaction to be claimed, until the merchant decides', async () => {
    const { id, payment } = await context.paidTwice(10)
    const claimable = async () => (await context.checkout(id)).unmatched
    expect(await claimable()).toEqual([{ transactionHash: payment.transactionHash }])
    await context.decide(payment.id, { action: 'keep', note: 'a tip' })
    expect(await claimable()).toEqual([])
    const { id: other } = await context.paidTwice(11)
    expect(await claimable()).toEqual([])
    expect(await context.checkout(other)).toMatchObject({ unmatched: [expect.anything()] })
  })

  test('kept money stays, with a note, and may be decided upon again', async () => {
    const { payment } = await context.paidTwice(10)
    const kept = await context.decide(payment.id, { action: 'keep', note: 'a tip' })
    const decision = { note: 'a tip', by: context.owner.wallet }
    expect(kept.body.payment).toMatchObject({ state: 'kept', decision })
    const response = await context.decide(payment.id, { action: 'refund' })
    const refunded = { refundId: expect.any(String) }
    expect(response.body.payment).toMatchObject({ state: 'refunded', decision: refunded })
    expect((await context.decide(payment.id, { action: 'keep' })).status).toBe(409)
    const audit = await context.api.call('GET', '/api/audit', { session: context.owner })
    expect(audit.body.entries[0]).toMatchObject({ action: 'payment.decided', subject: payment.id })
  })

  test('a refund with a transaction is looked at: a good one stays, a bad one opens the case again', async () => {
    const [good, bad] = [await context.paidTwice(10), await context.paidTwice(11)]
    const send = (units: bigint) => context.transfer(context.tokenAddress('USDC'), newWallet().wallet, units)
    // In this test, the buyer's wallet also sends the refund. If the payer were known, this would not count
    // as a refund.
    const text = 'UPDATE unmatched_payment SET payer = NULL WHERE merchant = $1 AND id = $2'
    await context.needs.db.run({ name: 'test-payer', text }, [context.merchant.wallet, good.payment.id])
    const [right, wrong] = [await send(10_000_000n), await send(11_000_000n)]
    await context.mine(6)
    const refund = (id: string, txHash: Hex) => context.decide(id, { action: 'refund', txHash })
    expect((await refund(good.payment.id, right.hash)).status).toBe(200)
    expect((await refund(good.payment.id, right.hash)).status).toBe(200)
    expectApiError(await refund(bad.payment.id, right.hash), 409, 'idempotency_conflict')
    expect((await refund(bad.payment.id, wrong.hash)).body.payment).toMatchObject({
      state: 'open',
      refund: { txHash: wrong.hash, mark: null, error: null, isCounted: false },
    })
    expectApiError(await context.decide(bad.payment.id, { action: 'keep' }), 409, 'idempotency_conflict')
    context.passClock(3_000)
    await context.run(jobNames.verifyRefunds)
    expect((await context.fromInbox(good.payment.transactionHash)).state).toBe('refunded')
    const reopened = { state: 'open', refund: null }
    expect(await context.fromInbox(bad.payment.transactionHash)).toMatchObject(reopened)
  })

  test('a refund whose transaction does not exist is never refunded, and can be decided again', async () => {
    const { payment } = await context.paidTwice(10)
    const txHash = `0x${'ad'.repeat(32)}`
    await context.decide(payment.id, { action: 'refund', txHash })
    context.passClock(2 * 3_600_000)
    await context.run(jobNames.verifyRefunds)
    await context.logIn()
    const error = 'the transaction is not on the chain'
    expect(await context.fromInbox(payment.transactionHash)).toMatchObject({
      state: 'open',
      refund: { txHash, mark: null, error, isCounted: false },
    })
    expect(await context.list('?state=refunded&limit=200')).not.toContainEqual(
      expect.objectContaining({ id: payment.id }),
    )
    const kept = await context.decide(payment.id, { action: 'keep' })
    expect(kept.body.payment).toMatchObject({ state: 'kept', refund: null })
  })
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  const broken = await findBroken(context.needs.db, context.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})

describe('who may not', () => {
  test('a key 403, nobody 401, other roles 403, a stranger 404', async () => {
    const { payment } = await context.paidTwice(10)
    const body = { action: 'keep' }
    expect((await context.decide(payment.id, body, { key: context.merchant.key })).status).toBe(403)
    expect((await context.decide(payment.id, body, {})).status).toBe(401)
    for (const role of ['developer', 'cashier', 'viewer'] satisfies MemberRole[]) {
      const session = await logInAs(context.api, context.merchant.wallet, role)
      expect((await context.decide(payment.id, body, { session })).status).toBe(403)
    }
    const other = await context.api.addMerchant()
    const stranger = await logInAs(context.api, other.wallet, 'owner')
    const foreign = await context.decide(payment.id, body, { session: stranger })
    const absent = await context.decide('none', body, { session: stranger })
    expect([foreign.status, foreign.text]).toEqual([404, absent.text])
  })

  test.each([
    {},
    { action: 'burn' },
    { action: 'keep', note: '' },
    { action: 'refund', txHash: '0x1' },
  ])('%j is invalid_input', async (body) => {
    expectApiError(await context.decide('any', body), 400, 'invalid_input')
  })
})
