import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs, type TestSession } from '../../support/asking/log-in.ts'
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
const detail = async (id: string) =>
  (await world.api.call('GET', `/api/receipts/${id}`, { key: world.merchant.key })).body
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

describe('apply', () => {
  test('a second payment pays another receipt, once; its status, webhook and history say so', async () => {
    const { payment } = await paidTwice(10)
    const target = newId()
    await world.newReceipt(target, 10)
    const answers = await Promise.all(
      [1, 2, 3].map(() => decide(payment.id, { action: 'apply', receiptId: target })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers[0]?.body).toMatchObject({
      ok: true,
      payment: { id: payment.id, state: 'applied', decision: { appliedTo: target, by: owner.wallet } },
    })
    const after = await detail(target)
    expect(after).toMatchObject({
      status: 'paid',
      transactionHash: payment.transactionHash,
      payment: { state: 'paid', token: 'USDC', received: 10, missing: 0, excess: 0 },
    })
    expect(after.timeline.map(({ kind }: { kind: string }) => kind)).toEqual([
      'created',
      'payment_applied',
      'payment_credited',
      'status',
    ])
    expect((await world.notices(target)).map(({ body }) => body.status)).toEqual(['paid'])
    const elsewhere = await decide(payment.id, { action: 'apply', receiptId: newId() })
    expect([elsewhere.status]).toEqual([404])
    const another = newId()
    await world.newReceipt(another, 10)
    for (const body of [{ action: 'apply', receiptId: another }, { action: 'refund' }, { action: 'keep' }]) {
      const answer = await decide(payment.id, body)
      expect([answer.status, answer.body.error]).toEqual([409, 'idempotency_conflict'])
    }
    expect((await detail(another)).status).toBe('pending')
  })

  test('too little is counted all the same, and topping up pays the rest', async () => {
    const { payment } = await paidTwice(4)
    const target = newId()
    await world.newReceipt(target, 10)
    const open = await world.attempt(target, 'USDC')
    expect((await decide(payment.id, { action: 'apply', receiptId: target })).status).toBe(200)
    expect(await detail(target)).toMatchObject({
      status: 'pending',
      payment: { state: 'short', received: 4, missing: 6 },
    })
    const again = await world.attempt(target, 'USDC')
    expect([again.attemptId, again.remaining]).toEqual([open.attemptId, '6000000'])
    await world.pay(again, 'call')
    await world.mine()
    await world.scan()
    expect((await detail(target)).status).toBe('paid')
  })

  test('money sent straight to the split pays a receipt, which is reconciled when it went out', async () => {
    const id = newId()
    await world.newReceipt(id, 12)
    const { payTo } = await world.attempt(id, 'USDC')
    const { hash } = await world.transfer(world.tokenAddress('USDC'), payTo as Hex, 12_000_000n)
    await world.mine(6)
    await world.scan()
    await world.run(jobNames.scanDistributions)
    const payment = await found(hash)
    expect(payment).toMatchObject({ reason: 'direct', receiptId: null, amountRaw: '12000000' })
    expect((await decide(payment.id, { action: 'apply', receiptId: id })).status).toBe(200)
    expect((await detail(id)).status).toBe('paid')
    await world.run(jobNames.reconcileReceipts)
    expect((await detail(id)).status).toBe('paid')
    await distribute(payTo as Hex, 'USDC')
    await world.run(jobNames.scanDistributions)
    passTime(90_000)
    await world.run(jobNames.reconcileReceipts)
    expect((await detail(id)).status).toBe('reconciled')
  })

  test('the wrong token for a receipt is applied to it, swept and distributed, and reconciles it', async () => {
    const id = newId()
    await world.newReceipt(id, 9)
    const attempt = await world.attempt(id, 'USDC')
    const { hash } = await world.transfer(
      world.tokenAddress('USDT'),
      attempt.depositAddress as Hex,
      9_000_000n,
    )
    await world.mine(6)
    await world.scan()
    const payment = await found(hash)
    expect(payment).toMatchObject({ reason: 'wrong-token', receiptId: id, token: 'USDT' })
    expect((await decide(payment.id, { action: 'apply', receiptId: id })).status).toBe(200)
    expect(await detail(id)).toMatchObject({ status: 'paid', payment: { token: 'USDT', received: 9 } })
    await world.chain.fund(world.api.keeper.address)
    await world.run(jobNames.sweepDeposits)
    await world.mine(6)
    await world.run(jobNames.settleTransactions)
    await world.run(jobNames.scanDistributions)
    await distribute(attempt.payTo as Hex, 'USDT')
    await world.run(jobNames.scanDistributions)
    await world.run(jobNames.sweepDeposits)
    passTime(90_000)
    await world.run(jobNames.reconcileReceipts)
    expect((await detail(id)).status).toBe('reconciled')
  })

  test('not before its block is final, not to a paid receipt, not to a stranger’s or none', async () => {
    const { id, attempt, payment } = await paidTwice(10)
    const target = newId()
    await world.newReceipt(target, 10)
    const paid = await decide(payment.id, { action: 'apply', receiptId: id })
    expect([paid.status, paid.body.error]).toEqual([400, 'invalid_input'])
    expect((await decide(payment.id, { action: 'apply', receiptId: 'never-made' })).status).toBe(404)
    expect((await decide(payment.id, { action: 'apply' })).body.error).toBe('invalid_input')
    const { hash } = await world.pay(attempt, 'transfer', 5n)
    await world.mine()
    await world.scan()
    const young = await found(hash)
    const early = await decide(young.id, { action: 'apply', receiptId: target })
    expect([early.status, early.body.error]).toEqual([400, 'invalid_input'])
    expect((await found(hash)).state).toBe('open')
    expect((await detail(target)).status).toBe('pending')
  })
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  const broken = await findBroken(world.needs.db, world.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})

async function distribute(split: Hex, token: TokenSymbol) {
  const args = [world.tokenAddress(token)] as const
  const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args })
  await world.send({ to: split, data, gas: 1_000_000n })
  await world.mine(6)
}
