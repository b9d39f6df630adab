import type { MemberRole } from '@sluice/protocol/api/access.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs, type TestSession } from '../../support/asking/log-in.ts'
import { newWallet } from '../../support/asking/new-wallet.ts'
import { findBroken } from '../../support/worlds/check-invariants.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'

let world: PaymentWorld
let owner: TestSession
let count = 0

beforeAll(async () => {
  world = await startPaymentWorld()
})
afterAll(() => world?.stop())
beforeEach(async () => {
  await world.syncClock()
  owner = await logInAs(world.api, world.merchant.wallet, 'owner')
})

const newId = () => `inbox-${++count}`
const decide = (id: string, body: unknown, options: object = { session: owner }) =>
  world.api.call('POST', `/api/payments/unmatched/${id}`, { body, ...options })
async function list(query = ''): Promise<UnmatchedPayment[]> {
  const answer = await world.api.call('GET', `/api/payments/unmatched${query}`, { session: owner })
  expect(answer.status).toBe(200)
  return answer.body.payments
}
async function found(hash: Hex, query = '?state=all'): Promise<UnmatchedPayment> {
  const payment = (await list(query)).find((each) => each.transactionHash === hash)
  if (!payment) throw new Error('it is in the inbox')
  return payment
}
const passTime = (ms: number) => world.api.clock.jumpTo(world.api.clock.now() + ms)

/** A paid receipt, and the same amount once more for it. */
async function paidTwice(usd: number, token: TokenSymbol = 'USDC') {
  const id = newId()
  await world.newReceipt(id, usd)
  const attempt = await world.attempt(id, token)
  await world.pay(attempt, 'transfer')
  await world.mine()
  await world.scan()
  const { hash } = await world.pay(attempt, 'transfer', BigInt(attempt.amount))
  await world.mine(6)
  await world.scan()
  return { id, attempt, payment: await found(hash) }
}

describe('GET /api/payments/unmatched', () => {
  test('a second payment is there with everything known of it', async () => {
    const { id, payment } = await paidTwice(10)
    expect(payment).toEqual({
      id: expect.any(String),
      state: 'open',
      reason: 'receipt-settled',
      receiptId: id,
      token: 'USDC',
      tokenAddress: world.tokenAddress('USDC'),
      amount: 10,
      amountRaw: '10000000',
      payer: world.buyer.address,
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      blockNumber: expect.any(Number),
      timestamp: expect.any(Number),
      decision: null,
    })
  })

  test('the cursor walks the whole inbox; a state narrows it down', async () => {
    for (let i = 0; i < 3; i++) await paidTwice(3 + i)
    const all = await list('?state=all')
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const path = `/api/payments/unmatched?state=all&limit=2${cursor ? `&cursor=${cursor}` : ''}`
      const { body } = await world.api.call('GET', path, { key: world.merchant.key })
      seen.push(...body.payments.map((each: { id: string }) => each.id))
      cursor = body.nextCursor
    } while (cursor)
    expect(seen).toEqual(all.map(({ id }) => id))
    expect(await list('?state=kept')).toEqual([])
  })

  test('bad queries are 400, nobody 401, another merchant sees nothing', async () => {
    for (const query of ['?state=lost', '?limit=0', '?cursor=x']) {
      const answer = await world.api.call('GET', `/api/payments/unmatched${query}`, { session: owner })
      expect([query, answer.status, answer.body.error]).toEqual([query, 400, 'invalid_input'])
    }
    expect((await world.api.call('GET', '/api/payments/unmatched')).status).toBe(401)
    const other = await world.api.addMerchant()
    const foreign = await world.api.call('GET', '/api/payments/unmatched', { key: other.key })
    expect(foreign.body).toEqual({ payments: [], nextCursor: null })
  })
})

describe('refund and keep', () => {
  test('kept money stays, with a note, and may be decided upon again', async () => {
    const { payment } = await paidTwice(10)
    const kept = await decide(payment.id, { action: 'keep', note: 'a tip' })
    expect(kept.body.payment).toMatchObject({ state: 'kept', decision: { note: 'a tip', by: owner.wallet } })
    const answer = await decide(payment.id, { action: 'refund' })
    expect(answer.body.payment).toMatchObject({
      state: 'refunded',
      decision: { refundId: expect.any(String) },
    })
    expect((await decide(payment.id, { action: 'keep' })).status).toBe(409)
    const audit = await world.api.call('GET', '/api/audit', { session: owner })
    expect(audit.body.entries[0]).toMatchObject({ action: 'payment.decided', subject: payment.id })
  })

  test('a refund with a transaction is looked at: a good one stays, a bad one opens the case again', async () => {
    const [good, bad] = [await paidTwice(10), await paidTwice(11)]
    const send = async (units: bigint) => {
      const args = [newWallet().wallet, units] as const
      const other = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
      return world.send({ to: world.tokenAddress('USDC'), data: other })
    }
    // The buyer of these tests pays and is refunded by one and the same wallet, which is no refund to itself.
    await world.needs.db.run(
      {
        name: 'test-payer',
        text: 'UPDATE unmatched_payment SET payer = NULL WHERE merchant = $1 AND id = $2',
      },
      [world.merchant.wallet, good.payment.id],
    )
    const [right, wrong] = [await send(10_000_000n), await send(11_000_000n)]
    await world.mine(6)
    const refund = (id: string, txHash: Hex) => decide(id, { action: 'refund', txHash })
    expect((await refund(good.payment.id, right.hash)).status).toBe(200)
    expect((await refund(good.payment.id, right.hash)).status).toBe(200)
    const taken = await refund(bad.payment.id, right.hash)
    expect([taken.status, taken.body.error]).toEqual([409, 'idempotency_conflict'])
    expect((await refund(bad.payment.id, wrong.hash)).status).toBe(200)
    passTime(3_000)
    await world.run(jobNames.verifyRefunds)
    expect((await found(good.payment.transactionHash as Hex)).state).toBe('refunded')
    expect((await found(bad.payment.transactionHash as Hex)).state).toBe('open')
  })
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  const broken = await findBroken(world.needs.db, world.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})

describe('who may not', () => {
  test('a key 403, nobody 401, other roles 403, a stranger 404', async () => {
    const { payment } = await paidTwice(10)
    const body = { action: 'keep' }
    expect((await decide(payment.id, body, { key: world.merchant.key })).status).toBe(403)
    expect((await decide(payment.id, body, {})).status).toBe(401)
    for (const role of ['developer', 'cashier', 'viewer'] satisfies MemberRole[]) {
      const session = await logInAs(world.api, world.merchant.wallet, role)
      expect((await decide(payment.id, body, { session })).status).toBe(403)
    }
    const other = await world.api.addMerchant()
    const stranger = await logInAs(world.api, other.wallet, 'owner')
    const foreign = await decide(payment.id, body, { session: stranger })
    expect([foreign.status, foreign.text]).toEqual([
      404,
      (await decide('none', body, { session: stranger })).text,
    ])
  })

  test.each([
    {},
    { action: 'burn' },
    { action: 'keep', note: '' },
    { action: 'refund', txHash: '0x1' },
  ])('%j is invalid_input', async (body) => {
    const answer = await decide('any', body)
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_input'])
  })
})
