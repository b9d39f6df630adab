import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { sendMany, sendWithoutTrace } from '../../support/chain/calls.ts'
import { resetTally } from '../../support/chain/endpoints.ts'
import { countStatements } from '../../support/database/count-statements.ts'
import { perCase } from '../../support/per-file.ts'
import { addTargets, dustSum } from '../../support/routes/many-targets.ts'
import { startCountedPayments } from './watched-payments.ts'

const world = perCase(startCountedPayments)

const dustCount = 400

test('four hundred dust transfers of coin in one block cost a handful of requests and statements', async () => {
  const target = await world.open('stranger', 20, 'ETH')
  const attempt = await world.open('buyer', 20, 'ETH')
  await sendMany(world, dustCount, { to: target.depositAddress as Hex, value: 1n, gas: 21_000n })
  await world.pay(attempt, 'transfer')
  await world.mine()

  const { requests, statements } = await world.settle()
  expect(await world.status('buyer')).toBe('paid')
  expect(requests).toBeLessThan(20)
  expect(statements).toBeLessThan(60)
  expect(await dustSum(world, 'stranger')).toBe(BigInt(dustCount))
})

test('ten thousand open attempts cost fewer than twenty requests in a round', async () => {
  const attempt = await world.open('buyer', 20, 'ETH')
  await addTargets(world, 10_000)
  await world.mine()
  await world.settle()
  await world.pay(attempt, 'transfer')
  await world.mine()

  const { requests, calls } = await world.settle()
  expect(await world.status('buyer')).toBe('paid')
  expect(requests).toBeLessThan(20)
  expect(calls.get('eth_getBalance') ?? 0).toBeLessThan(500)
})

test('coin that comes without any trace to one of ten thousand is credited with its block', async () => {
  const { depositAddress, amount } = await world.open('traceless', 20, 'ETH')
  await addTargets(world, 10_000)
  await sendWithoutTrace(world, depositAddress, BigInt(amount))
  await world.mine()
  expect((await world.settle()).requests).toBeLessThan(20)
  expect(await world.status('traceless')).toBe('paid')
})

test('a round without news costs one request and four statements', async () => {
  const { tally } = world.far
  await world.newReceipt('waiting', 20)
  await world.attempt('waiting', 'ETH')
  await world.mine()
  const { db, total } = countStatements(world.needs.db)
  const watcher = world.job(jobNames.scanTransfers, { db })
  const round = async () => {
    const before = total()
    resetTally(tally)
    const outcome = await watcher.run(new AbortController().signal)
    return { outcome, requests: tally.requests, statements: total() - before }
  }
  for (let i = 0; i < 4; i++) await round()
  expect(await round()).toEqual({ outcome: 'done', requests: 1, statements: 4 })
})

test.each([
  ['USDC', 2],
  ['ETH', 3],
] as const)('a step over a block without a payment, an attempt in %s open, costs %i requests and a dozen statements', async (token, most) => {
  await world.open('waiting', 20, token)
  await world.mine()
  const { db, total } = countStatements(world.needs.db)
  const watcher = world.job(jobNames.scanTransfers, { db })
  const run = () => watcher.run(new AbortController().signal)
  while ((await run()) === 'again');
  for (let i = 0; i < 3; i++) {
    await world.mine()
    resetTally(world.far.tally)
    const before = total()
    expect(await run()).toBe('done')
    expect(world.far.tally.requests).toBe(most)
    expect(total() - before).toBeLessThanOrEqual(13)
  }
})
