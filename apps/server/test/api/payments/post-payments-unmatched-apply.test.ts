import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { startUnmatchedPayments } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const world = perFile(() => startUnmatchedPayments())
beforeEach(() => world.logIn())

describe('apply', () => {
  test('a second payment pays another receipt, once; its status, webhook and history say so', async () => {
    const { payment } = await world.paidTwice(10)
    const target = await world.newTarget(10)
    const apply = { action: 'apply', receiptId: target }
    const responses = await Promise.all([1, 2, 3].map(() => world.decide(payment.id, apply)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(responses[0]?.body).toMatchObject({
      ok: true,
      payment: { id: payment.id, state: 'applied', decision: { appliedTo: target, by: world.owner.wallet } },
    })
    const after = await world.detail(target)
    expect(after).toMatchObject({
      status: 'paid',
      transactionHash: payment.transactionHash,
      payment: { state: 'paid', token: 'USDC', received: 10, missing: 0, excess: 0 },
    })
    const kinds = after.timeline.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(['created', 'payment_applied', 'payment_credited', 'status'])
    expect((await world.notices(target)).map(({ body }) => body.status)).toEqual(['paid'])
    const nowhere = { action: 'apply', receiptId: 'never-made' }
    expect((await world.decide(payment.id, nowhere)).status).toBe(404)
    const another = await world.newTarget(10)
    for (const body of [{ action: 'apply', receiptId: another }, { action: 'refund' }, { action: 'keep' }]) {
      expectApiError(await world.decide(payment.id, body), 409, 'idempotency_conflict')
    }
    expect((await world.detail(another)).status).toBe('pending')
  })

  test('too little is counted all the same, and topping up pays the rest', async () => {
    const { payment } = await world.paidTwice(4)
    const target = await world.newTarget(10)
    const open = await world.attempt(target, 'USDC')
    expect((await world.decide(payment.id, { action: 'apply', receiptId: target })).status).toBe(200)
    expect(await world.detail(target)).toMatchObject({
      status: 'pending',
      payment: { state: 'short', received: 4, missing: 6 },
    })
    const again = await world.attempt(target, 'USDC')
    expect([again.attemptId, again.remaining]).toEqual([open.attemptId, '6000000'])
    await world.pay(again, 'call')
    await world.mine()
    await world.scan()
    expect((await world.detail(target)).status).toBe('paid')
  })

  test('money sent straight to the split pays a receipt, which is reconciled when it went out', async () => {
    const id = await world.newTarget(12)
    const { payTo } = await world.attempt(id, 'USDC')
    const { hash } = await world.transfer(world.tokenAddress('USDC'), payTo as Hex, 12_000_000n)
    await world.mine(6)
    await world.scan()
    await world.run(jobNames.scanDistributions)
    const payment = await world.fromInbox(hash)
    expect(payment).toMatchObject({ reason: 'direct', receiptId: null, amountRaw: '12000000' })
    expect((await world.decide(payment.id, { action: 'apply', receiptId: id })).status).toBe(200)
    expect((await world.detail(id)).status).toBe('paid')
    await world.run(jobNames.reconcileReceipts)
    expect((await world.detail(id)).status).toBe('paid')
    await distribute(payTo as Hex, 'USDC')
    await world.run(jobNames.scanDistributions)
    world.passClock(90_000)
    await world.run(jobNames.reconcileReceipts)
    expect((await world.detail(id)).status).toBe('reconciled')
  })

  test('the wrong token for a receipt is applied to it, swept and distributed, and reconciles it', async () => {
    const id = await world.newTarget(9)
    const attempt = await world.attempt(id, 'USDC')
    const deposit = attempt.depositAddress as Hex
    const { hash } = await world.transfer(world.tokenAddress('USDT'), deposit, 9_000_000n)
    await world.mine(6)
    await world.scan()
    const payment = await world.fromInbox(hash)
    expect(payment).toMatchObject({ reason: 'wrong-token', receiptId: id, token: 'USDT' })
    expect((await world.decide(payment.id, { action: 'apply', receiptId: id })).status).toBe(200)
    expect(await world.detail(id)).toMatchObject({ status: 'paid', payment: { token: 'USDT', received: 9 } })
    await world.chain.fund(world.api.keeper.address)
    await world.run(jobNames.sweepDeposits)
    await world.mine(6)
    await world.run(jobNames.settleTransactions)
    await world.run(jobNames.scanDistributions)
    await distribute(attempt.payTo as Hex, 'USDT')
    await world.run(jobNames.scanDistributions)
    await world.run(jobNames.sweepDeposits)
    world.passClock(90_000)
    await world.run(jobNames.reconcileReceipts)
    expect((await world.detail(id)).status).toBe('reconciled')
  })

  test('not before its block is final, not to a paid receipt, not to a stranger’s or none', async () => {
    const { id, attempt, payment } = await world.paidTwice(10)
    const target = await world.newTarget(10)
    expectApiError(await world.decide(payment.id, { action: 'apply', receiptId: id }), 400, 'invalid_input')
    expect((await world.decide(payment.id, { action: 'apply', receiptId: 'never-made' })).status).toBe(404)
    expect((await world.decide(payment.id, { action: 'apply' })).body.error).toBe('invalid_input')
    const { hash } = await world.pay(attempt, 'transfer', 5n)
    await world.mine()
    await world.scan()
    const young = await world.fromInbox(hash)
    expectApiError(await world.decide(young.id, { action: 'apply', receiptId: target }), 400, 'invalid_input')
    expect((await world.fromInbox(hash)).state).toBe('open')
    expect((await world.detail(target)).status).toBe('pending')
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
