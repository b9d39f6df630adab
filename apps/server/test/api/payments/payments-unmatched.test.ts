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

const world = perFile(() => startUnmatchedPayments())
beforeEach(() => world.logIn())

describe('GET /api/payments/unmatched', () => {
  test('a second payment is there with everything known of it', async () => {
    const { id, payment } = await world.paidTwice(10)
    expect(payment).toEqual({
      id: expect.any(String),
      state: 'open',
      reason: 'receipt-settled',
      receiptId: id,
      suggestedReceiptId: null,
      token: 'USDC',
      tokenAddress: world.tokenAddress('USDC'),
      tokenName: null,
      amount: 10,
      amountRaw: '10000000',
      payer: world.buyer.address,
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
    const id = await world.newTarget(12)
    const { payTo } = await world.attempt(id, 'USDC')
    const { hash } = await world.transfer(world.tokenAddress(token), payTo as Hex, 12_000n)
    await world.mine(6)
    await world.scan()
    await world.run(jobNames.scanDistributions)
    expect(await world.fromInbox(hash)).toMatchObject({ reason: 'direct', payer: world.buyer.address })
  })

  test('the cursor walks the whole inbox; a state narrows it down', async () => {
    for (let i = 0; i < 3; i++) await world.paidTwice(3 + i)
    const all = await world.list('?state=all')
    const { key } = world.merchant
    const path = '/api/payments/unmatched?state=all&limit=2'
    const pages = await followPages((more) => world.api.call('GET', path + more, { key }))
    expect(pages.flatMap(({ payments }) => payments)).toEqual(all)
    expect(await world.list('?state=kept')).toEqual([])
  })

  test('bad queries are 400, nobody 401, another merchant sees nothing', async () => {
    for (const query of ['?state=lost', '?limit=0', '?cursor=x']) {
      const response = await world.api.call('GET', `/api/payments/unmatched${query}`, {
        session: world.owner,
      })
      expectApiError(response, 400, 'invalid_input', query)
    }
    expect((await world.api.call('GET', '/api/payments/unmatched')).status).toBe(401)
    const other = await world.api.addMerchant()
    const foreign = await world.api.call('GET', '/api/payments/unmatched', { key: other.key })
    expect(foreign.body).toEqual({ payments: [], nextCursor: null })
  })
})

describe('refund and keep', () => {
  test('the checkout of the receipt names its transaction to be claimed, until the merchant decides', async () => {
    const { id, payment } = await world.paidTwice(10)
    const claimable = async () => (await world.checkout(id)).unmatched
    expect(await claimable()).toEqual([{ transactionHash: payment.transactionHash }])
    await world.decide(payment.id, { action: 'keep', note: 'a tip' })
    expect(await claimable()).toEqual([])
    const { id: other } = await world.paidTwice(11)
    expect(await claimable()).toEqual([])
    expect(await world.checkout(other)).toMatchObject({ unmatched: [expect.anything()] })
  })

  test('kept money stays, with a note, and may be decided upon again', async () => {
    const { payment } = await world.paidTwice(10)
    const kept = await world.decide(payment.id, { action: 'keep', note: 'a tip' })
    const decision = { note: 'a tip', by: world.owner.wallet }
    expect(kept.body.payment).toMatchObject({ state: 'kept', decision })
    const response = await world.decide(payment.id, { action: 'refund' })
    const refunded = { refundId: expect.any(String) }
    expect(response.body.payment).toMatchObject({ state: 'refunded', decision: refunded })
    expect((await world.decide(payment.id, { action: 'keep' })).status).toBe(409)
    const audit = await world.api.call('GET', '/api/audit', { session: world.owner })
    expect(audit.body.entries[0]).toMatchObject({ action: 'payment.decided', subject: payment.id })
  })

  test('a refund with a transaction is looked at: a good one stays, a bad one opens the case again', async () => {
    const [good, bad] = [await world.paidTwice(10), await world.paidTwice(11)]
    const send = (units: bigint) => world.transfer(world.tokenAddress('USDC'), newWallet().wallet, units)
    // The buyer of these tests pays and is refunded by one and the same wallet, which is no refund to itself.
    const text = 'UPDATE unmatched_payment SET payer = NULL WHERE merchant = $1 AND id = $2'
    await world.needs.db.run({ name: 'test-payer', text }, [world.merchant.wallet, good.payment.id])
    const [right, wrong] = [await send(10_000_000n), await send(11_000_000n)]
    await world.mine(6)
    const refund = (id: string, txHash: Hex) => world.decide(id, { action: 'refund', txHash })
    expect((await refund(good.payment.id, right.hash)).status).toBe(200)
    expect((await refund(good.payment.id, right.hash)).status).toBe(200)
    expectApiError(await refund(bad.payment.id, right.hash), 409, 'idempotency_conflict')
    expect((await refund(bad.payment.id, wrong.hash)).body.payment).toMatchObject({
      state: 'open',
      refund: { txHash: wrong.hash, mark: null, error: null, isCounted: false },
    })
    expectApiError(await world.decide(bad.payment.id, { action: 'keep' }), 409, 'idempotency_conflict')
    world.passClock(3_000)
    await world.run(jobNames.verifyRefunds)
    expect((await world.fromInbox(good.payment.transactionHash)).state).toBe('refunded')
    const reopened = { state: 'open', refund: null }
    expect(await world.fromInbox(bad.payment.transactionHash)).toMatchObject(reopened)
  })

  test('a refund whose transaction does not exist is never refunded, and can be decided again', async () => {
    const { payment } = await world.paidTwice(10)
    const txHash = `0x${'ad'.repeat(32)}`
    await world.decide(payment.id, { action: 'refund', txHash })
    world.passClock(2 * 3_600_000)
    await world.run(jobNames.verifyRefunds)
    await world.logIn()
    const error = 'the chain has no such transaction'
    expect(await world.fromInbox(payment.transactionHash)).toMatchObject({
      state: 'open',
      refund: { txHash, mark: null, error, isCounted: false },
    })
    expect(await world.list('?state=refunded&limit=200')).not.toContainEqual(
      expect.objectContaining({ id: payment.id }),
    )
    const kept = await world.decide(payment.id, { action: 'keep' })
    expect(kept.body.payment).toMatchObject({ state: 'kept', refund: null })
  })
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  const broken = await findBroken(world.needs.db, world.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})

describe('who may not', () => {
  test('a key 403, nobody 401, other roles 403, a stranger 404', async () => {
    const { payment } = await world.paidTwice(10)
    const body = { action: 'keep' }
    expect((await world.decide(payment.id, body, { key: world.merchant.key })).status).toBe(403)
    expect((await world.decide(payment.id, body, {})).status).toBe(401)
    for (const role of ['developer', 'cashier', 'viewer'] satisfies MemberRole[]) {
      const session = await logInAs(world.api, world.merchant.wallet, role)
      expect((await world.decide(payment.id, body, { session })).status).toBe(403)
    }
    const other = await world.api.addMerchant()
    const stranger = await logInAs(world.api, other.wallet, 'owner')
    const foreign = await world.decide(payment.id, body, { session: stranger })
    const absent = await world.decide('none', body, { session: stranger })
    expect([foreign.status, foreign.text]).toEqual([404, absent.text])
  })

  test.each([
    {},
    { action: 'burn' },
    { action: 'keep', note: '' },
    { action: 'refund', txHash: '0x1' },
  ])('%j is invalid_input', async (body) => {
    expectApiError(await world.decide('any', body), 400, 'invalid_input')
  })
})
