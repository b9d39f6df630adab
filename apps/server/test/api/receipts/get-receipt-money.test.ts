import { describe, expect, test } from 'vitest'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startPayments)
const moneyOf = async (id: string) =>
  (await context.api.call('GET', `/api/receipts/${id}/money`, { key: context.merchant.key })).body

describe('GET /api/receipts/{id}/money', () => {
  test('is empty while nothing has come over the chain', async () => {
    await context.newReceipt('unpaid', 10)
    expect(await moneyOf('unpaid')).toEqual({ steps: [], payments: [], paymentsOmitted: 0, parts: [] })
  })

  test('names payer, deposit, block and finality of a payment, and what each recipient is owed of it', async () => {
    const attempt = await context.open('paid', 10, 'USDC')
    const sent = await context.payAndScan(attempt, 'transfer')
    const { steps, payments, parts } = await moneyOf('paid')
    expect(payments).toEqual([
      {
        transactionHash: sent.hash,
        blockNumber: expect.any(Number),
        at: expect.any(Number),
        payer: context.buyer.address,
        depositAddress: attempt.depositAddress,
        sweepTransactionHash: null,
        token: 'USDC',
        decimals: 6,
        amountRaw: attempt.amount,
        confirmations: 1,
        finality: 'seen',
        isLate: false,
        isReversed: false,
      },
    ])
    expect(steps[0]).toMatchObject({ step: 'received', state: 'done' })
    const shares = parts.map(({ sharesBps }: { sharesBps: number }) => sharesBps)
    expect(shares.reduce((sum: number, share: number) => sum + share, 0)).toBe(10_000)
    expect(parts.map(({ state }: { state: string }) => state)).toEqual(parts.map(() => 'waiting'))
  })

  test('a part that is final is shown so while the rest is missing', async () => {
    const attempt = await context.open('part', 10, 'USDC')
    await context.payAndScan(attempt, 'transfer', 4_000_000n)
    await context.mineAndScan(8)
    const { steps, payments } = await moneyOf('part')
    expect(payments[0].finality).toBe('final')
    const states = steps.map(({ state }: { state: string }) => state)
    expect(states).toEqual(['done', 'done', 'done', 'now'])
  })

  test('a payment whose block is gone is said to be reversed, and has no finality', async () => {
    const attempt = await context.open('gone', 20, 'USDC')
    await context.payAndScan(attempt, 'call')
    expect((await moneyOf('gone')).payments[0]).toMatchObject({ depositAddress: null, isReversed: false })
    await context.reorg(1)
    expect((await moneyOf('gone')).payments).toEqual([
      expect.objectContaining({ isReversed: true, finality: 'none', confirmations: 0 }),
    ])
  })
})
