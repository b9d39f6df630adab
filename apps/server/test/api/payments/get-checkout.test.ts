import { beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startRefunds } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const bench = perFile(() => startRefunds())
const context = () => bench
beforeEach(() => bench.logIn())

describe('GET /api/checkout/{id}', () => {
  test('gives the way back to the shop without the path that a payment may be worth', async () => {
    const returnUrl = 'https://shop.example.com/thanks?unlock=secret'
    await context().newReceipt('way', 10, { returnUrl })
    const unpaid = await context().checkout('way')
    expect(unpaid).toMatchObject({ shopUrl: 'https://shop.example.com/', returnUrl: null })
    expect(JSON.stringify(unpaid)).not.toContain('secret')
    await context().newReceipt('no-way', 10)
    expect((await context().checkout('no-way')).shopUrl).toBeNull()
  })

  test('estimates what is to be paid in each token as an attempt would ask for it, and nothing once it is paid', async () => {
    await context().run(jobNames.refreshRates)
    await context().newReceipt('estimated', 10.01)
    const { tokens } = await context().checkout('estimated')
    for (const { symbol, estimate } of tokens) {
      const attempt = await context().attempt('estimated', symbol as 'USDC')
      expect([symbol, estimate]).toEqual([symbol, attempt.amount])
    }
    const paid = await context().checkout(await bench.paid(10))
    expect(paid.tokens.map(({ estimate }) => estimate)).toEqual(paid.tokens.map(() => null))
  })

  test('tells what was returned, what of it for sure, and nothing of who noted it', async () => {
    const receiptId = await bench.paid(10)
    const txHash = await bench.sendBack(bench.payee, 'USDC', 4_000_000n, 0)
    await bench.refund({ receiptId, usd: 4, txHash })
    const refund = { usd: 4, kind: 'price', isConfirmed: false, transactionHash: txHash }
    expect(await context().checkout(receiptId)).toMatchObject({ refunds: [refund], refundedUsd: 0 })
    await context().mine(6)
    await bench.verify()
    expect(await context().checkout(receiptId)).toMatchObject({
      status: 'paid',
      refunds: [{ ...refund, isConfirmed: true }],
      refundedUsd: 4,
    })
    await bench.refund({ receiptId, usd: 6 })
    expect(await context().checkout(receiptId)).toMatchObject({ status: 'refunded', refundedUsd: 10 })
  })
})
