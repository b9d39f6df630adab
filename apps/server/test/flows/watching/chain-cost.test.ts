import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { multicall3 } from '../../../src/chain/rpc/multicall.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { sendMany } from '../../support/asking/send-many.ts'
import { resetTally } from '../../support/chain/far-chain.ts'
import { countStatements } from '../../support/database/count-statements.ts'
import { addTargets, dustSum } from '../../support/routes/many-targets.ts'
import { type CountedWorld, startCountedWorld } from '../../support/worlds/counted-world.ts'
import type { PaymentWorld } from '../../support/worlds/payment-world.ts'

let world: PaymentWorld
afterEach(() => world?.stop())

async function start(): Promise<CountedWorld> {
  const started = await startCountedWorld()
  world = started.world
  return started
}

const dustCount = 400
const aggregateAbi = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
])

test('four hundred dust transfers of coin in one block cost a handful of requests and statements', async () => {
  const { settle } = await start()
  await world.newReceipt('stranger', 20)
  await world.newReceipt('buyer', 20)
  const target = await world.attempt('stranger', 'ETH')
  const attempt = await world.attempt('buyer', 'ETH')
  await sendMany(world, dustCount, { to: target.depositAddress as Hex, value: 1n, gas: 21_000n })
  await world.pay(attempt, 'transfer')
  await world.mine()

  const { requests, statements } = await settle()
  expect(await world.status('buyer')).toBe('paid')
  expect(requests).toBeLessThan(20)
  expect(statements).toBeLessThan(60)
  expect(await dustSum(world, 'stranger')).toBe(BigInt(dustCount))
})

test('ten thousand open attempts cost no more requests in a round than ten', async () => {
  const { settle } = await start()
  await world.newReceipt('buyer', 20)
  const attempt = await world.attempt('buyer', 'ETH')
  await addTargets(world, 10_000)
  await world.mine()
  await settle()
  await world.pay(attempt, 'transfer')
  await world.mine()

  const { requests, calls } = await settle()
  expect(await world.status('buyer')).toBe('paid')
  expect(requests).toBeLessThan(12)
  expect(calls.get('eth_getBalance') ?? 0).toBeLessThan(500)
})

test('coin that a contract sends to one of ten thousand is credited with its block where the call names it', async () => {
  const { settle } = await start()
  await world.newReceipt('smart-account', 20)
  const attempt = await world.attempt('smart-account', 'ETH')
  await addTargets(world, 10_000)
  const calls = [
    {
      target: attempt.depositAddress as Hex,
      allowFailure: false,
      value: BigInt(attempt.amount),
      callData: '0x',
    },
  ] as const
  const data = encodeFunctionData({ abi: aggregateAbi, functionName: 'aggregate3Value', args: [calls] })
  await world.send({ to: multicall3 as Hex, data, value: BigInt(attempt.amount) })
  await world.mine()
  expect((await settle()).requests).toBeLessThan(12)
  expect(await world.status('smart-account')).toBe('paid')
})

test('coin that comes without any trace to one of ten thousand is credited within a minute, or at a hint', async () => {
  const { settle } = await start()
  for (const id of ['traceless', 'hinted']) await world.newReceipt(id, 20)
  await addTargets(world, 10_000)
  const send = async (id: string, at: Hex) => {
    const attempt = await world.attempt(id, 'ETH')
    const bytecode = `0x60006000600060003473${attempt.depositAddress.slice(2)}5af100` as Hex
    await world.chain.client.setCode({ address: at, bytecode })
    await world.send({ to: at, value: BigInt(attempt.amount) })
  }
  await send('traceless', `0x${'f1'.repeat(20)}`)
  let isPaid = false
  for (let second = 0; second < 60; second += 4) {
    await world.chain.client.mine({ blocks: 2, interval: 2 })
    const { requests, calls } = await settle()
    expect(requests).toBeLessThan(12)
    expect(calls.get('eth_getBalance') ?? 0).toBe(0)
    isPaid ||= (await world.status('traceless')) === 'paid'
  }
  expect(isPaid).toBe(true)

  await world.syncClock()
  await send('hinted', `0x${'f2'.repeat(20)}`)
  await world.syncClock()
  const path = `/api/checkout/hinted/hint?recipient=${world.merchant.wallet}`
  const answer = await world.api.call('POST', path, { body: { transactionHash: `0x${'0'.repeat(64)}` } })
  expect(answer.status).toBe(200)
  await world.mine()
  await settle()
  expect(await world.status('hinted')).toBe('paid')
})

test('a round without news costs one request and two statements', async () => {
  const { tally } = (await start()).far
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
  expect(await round()).toEqual({ outcome: 'done', requests: 1, statements: 2 })
})
