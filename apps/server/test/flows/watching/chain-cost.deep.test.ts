import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { sendMany, sendWithoutTrace } from '../../support/chain/calls.ts'
import { resetCounts } from '../../support/chain/endpoints.ts'
import { countStatements } from '../../support/database/count-statements.ts'
import { perCase } from '../../support/per-file.ts'
import { addTargets, dustSum } from '../../support/routes/many-targets.ts'
import { startCountedPayments } from './watched-payments.ts'

const context = perCase(startCountedPayments)

const dustCount = 400

test('four hundred dust transfers of coin in one block cost a handful of requests and statements', async () => {
  const target = await context.open('stranger', 20, 'ETH')
  const attempt = await context.open('buyer', 20, 'ETH')
  await sendMany(context, dustCount, { to: target.depositAddress as Hex, value: 1n, gas: 21_000n })
  await context.pay(attempt, 'transfer')
  await context.mine()

  const { requests, statements } = await context.settle()
  expect(await context.status('buyer')).toBe('paid')
  expect(requests).toBeLessThan(20)
  expect(statements).toBeLessThan(60)
  expect(await dustSum(context, 'stranger')).toBe(BigInt(dustCount))
})

test('ten thousand open attempts cost fewer than twenty requests in a round', async () => {
  const attempt = await context.open('buyer', 20, 'ETH')
  await addTargets(context, 10_000)
  await context.mine()
  await context.settle()
  await context.pay(attempt, 'transfer')
  await context.mine()

  const { requests, calls } = await context.settle()
  expect(await context.status('buyer')).toBe('paid')
  expect(requests).toBeLessThan(20)
  expect(calls.get('eth_getBalance') ?? 0).toBeLessThan(500)
})

test('coin that comes without any trace to one of ten thousand is credited with its block', async () => {
  const { depositAddress, amount } = await context.open('traceless', 20, 'ETH')
  await addTargets(context, 10_000)
  await sendWithoutTrace(context, depositAddress, BigInt(amount))
  await context.mine()
  expect((await context.settle()).requests).toBeLessThan(20)
  expect(await context.status('traceless')).toBe('paid')
})

test('a round without news costs one request and four statements', async () => {
  const { counts } = context.far
  await context.newReceipt('waiting', 20)
  await context.attempt('waiting', 'ETH')
  await context.mine()
  const { db, total } = countStatements(context.needs.db)
  const watcher = context.job(jobNames.scanTransfers, { db })
  const round = async () => {
    const before = total()
    resetCounts(counts)
    const outcome = await watcher.run(new AbortController().signal)
    return { outcome, requests: counts.requests, statements: total() - before }
  }
  for (let i = 0; i < 4; i++) await round()
  expect(await round()).toEqual({ outcome: 'done', requests: 1, statements: 4 })
})

test.each([
  ['USDC', 2],
  ['ETH', 3],
] as const)('a step over a block without a payment, an attempt in %s open, costs %i requests and a dozen statements', async (token, most) => {
  await context.open('waiting', 20, token)
  await context.mine()
  const { db, total } = countStatements(context.needs.db)
  const watcher = context.job(jobNames.scanTransfers, { db })
  const run = () => watcher.run(new AbortController().signal)
  while ((await run()) === 'again');
  for (let i = 0; i < 3; i++) {
    await context.mine()
    resetCounts(context.far.counts)
    const before = total()
    expect(await run()).toBe('done')
    expect(context.far.counts.requests).toBe(most)
    expect(total() - before).toBeLessThanOrEqual(13)
  }
})
