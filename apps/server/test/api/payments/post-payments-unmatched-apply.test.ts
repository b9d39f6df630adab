import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { findBroken } from '../../support/chain/check-invariants.ts'
import { startUnmatchedPayments } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(() => startUnmatchedPayments())
beforeEach(() => context.logIn())

describe('apply', () => {
  test('a second payment pays another receipt, once; its status, webhook and history say so', async () => {
    const { payment } = await context.paidTwice(10)
    const target = await context.newTarget(10)
    const apply = { action: 'apply', receiptId: target }
    const responses = await Promise.all([1, 2, 3].map(() => context.decide(payment.id, apply)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(responses[0]?.body).toMatchObject({
      ok: true,
      payment: {
        id: payment.id,
        state: 'applied',
        decision: { appliedTo: target, by: context.owner.wallet },
      },
    })
    const after = await context.detail(target)
    expect(after).toMatchObject({
      status: 'paid',
      transactionHash: payment.transactionHash,
      payment: { state: 'paid', token: 'USDC', received: 10, missing: 0, excess: 0 },
    })
    const kinds = after.timeline.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(['created', 'payment_applied', 'payment_credited', 'status'])
    expect((await context.messages(target)).map(({ body }) => body.status)).toEqual(['paid'])
    const nowhere = { action: 'apply', receiptId: 'never-made' }
    expect((await context.decide(payment.id, nowhere)).status).toBe(404)
    const another = await context.newTarget(10)
    for (const body of [{ action: 'apply', receiptId: another }, { action: 'refund' }, { action: 'keep' }]) {
      expectApiError(await context.decide(payment.id, body), 409, 'idempotency_conflict')
    }
    expect((await context.detail(another)).status).toBe('pending')
  })

  test('too little is counted all the same, and topping up pays the rest', async () => {
    const { payment } = await context.paidTwice(4)
    const target = await context.newTarget(10)
    const open = await context.attempt(target, 'USDC')
    expect((await context.decide(payment.id, { action: 'apply', receiptId: target })).status).toBe(200)
    expect(await context.detail(target)).toMatchObject({
      status: 'pending',
      payment: { state: 'short', received: 4, missing: 6 },
    })
    const again = await context.attempt(target, 'USDC')
    expect([again.attemptId, again.remaining]).toEqual([open.attemptId, '6000000'])
    await context.pay(again, 'call')
    await context.mine()
    await context.scan()
    expect((await context.detail(target)).status).toBe('paid')
  })

  test('money sent straight to the split pays a receipt, which is reconciled when it went out', async () => {
    const id = await context.newTarget(12)
    const { payTo } = await context.attempt(id, 'USDC')
    const { hash } = await context.transfer(context.tokenAddress('USDC'), payTo as Hex, 12_000_000n)
    await context.mine(6)
    await context.scan()
    await context.run(jobNames.scanDistributions)
    const payment = await context.fromInbox(hash)
    expect(payment).toMatchObject({ reason: 'direct', receiptId: null, amountRaw: '12000000' })
    expect((await context.decide(payment.id, { action: 'apply', receiptId: id })).status).toBe(200)
    expect((await context.detail(id)).status).toBe('paid')
    await context.run(jobNames.reconcileReceipts)
    expect((await context.detail(id)).status).toBe('paid')
    await distribute(payTo as Hex, 'USDC')
    await context.run(jobNames.scanDistributions)
    context.passClock(90_000)
    await context.run(jobNames.reconcileReceipts)
    expect((await context.detail(id)).status).toBe('reconciled')
  })

  test('the wrong token for a receipt is applied to it, swept and distributed, and reconciles it', async () => {
    const id = await context.newTarget(9)
    const attempt = await context.attempt(id, 'USDC')
    const deposit = attempt.depositAddress as Hex
    const { hash } = await context.transfer(context.tokenAddress('USDT'), deposit, 9_000_000n)
    await context.mine(6)
    await context.scan()
    const payment = await context.fromInbox(hash)
    expect(payment).toMatchObject({ reason: 'wrong-token', receiptId: id, token: 'USDT' })
    expect((await context.decide(payment.id, { action: 'apply', receiptId: id })).status).toBe(200)
    expect(await context.detail(id)).toMatchObject({
      status: 'paid',
      payment: { token: 'USDT', received: 9 },
    })
    await context.chain.fund(context.api.keeper.address)
    await context.run(jobNames.sweepDeposits)
    await context.mine(6)
    await context.run(jobNames.settleTransactions)
    await context.run(jobNames.scanDistributions)
    await distribute(attempt.payTo as Hex, 'USDT')
    await context.run(jobNames.scanDistributions)
    await context.run(jobNames.sweepDeposits)
    context.passClock(90_000)
    await context.run(jobNames.reconcileReceipts)
    expect((await context.detail(id)).status).toBe('reconciled')
  })

  test('not before its block is final, not to a paid receipt, not to a stranger’s or none', async () => {
    const { id, attempt, payment } = await context.paidTwice(10)
    const target = await context.newTarget(10)
    expectApiError(await context.decide(payment.id, { action: 'apply', receiptId: id }), 400, 'invalid_input')
    expect((await context.decide(payment.id, { action: 'apply', receiptId: 'never-made' })).status).toBe(404)
    expect((await context.decide(payment.id, { action: 'apply' })).body.error).toBe('invalid_input')
    const { hash } = await context.pay(attempt, 'transfer', 5n)
    await context.mine()
    await context.scan()
    const young = await context.fromInbox(hash)
    expectApiError(
      await context.decide(young.id, { action: 'apply', receiptId: target }),
      400,
      'invalid_input',
    )
    expect((await context.fromInbox(hash)).state).toBe('open')
    expect((await context.detail(target)).status).toBe('pending')
  })
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  const broken = await findBroken(context.needs.db, context.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})

async function distribute(split: Hex, token: TokenSymbol) {
  const args = [context.tokenAddress(token)] as const
  const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args })
  await context.send({ to: split, data, gas: 1_000_000n })
  await context.mine(6)
}
