import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { RoundOutcome } from '../../../src/platform/jobs/ticker.ts'
import { sendWithoutTrace } from '../../support/chain/calls.ts'
import { always } from '../../support/chain/chain-api.ts'
import { farChain, resetTally } from '../../support/chain/endpoints.ts'
import { type PaymentContext, startPayments } from '../../support/chain/payments.ts'
import { countStatements } from '../../support/database/count-statements.ts'
import { perCase } from '../../support/per-file.ts'
import { startCountedPayments, startHidingPayments } from './watched-payments.ts'

/** A watcher that has read everything and rests, as the ticker lets it while nothing is written that it has read. */
async function comeToRest(world: PaymentContext) {
  const { db, total } = countStatements(world.needs.db)
  const watcher = world.job(jobNames.scanTransfers, { db })
  const run = (isResting: boolean) => watcher.run(new AbortController().signal, isResting)
  await world.mine()
  let outcome: RoundOutcome = 'again'
  while (outcome === 'again') outcome = await run(false)
  expect(outcome).toEqual({ restMs: 30_000 })
  return {
    total,
    look: () => run(true),
    /** A look that finds something, and the rounds it leads to. */
    async find() {
      expect(await run(true)).not.toBe('still')
      while ((await run(false)) === 'again');
    },
  }
}

describe('while an attempt is open and nothing is written', () => {
  const world = perCase(startCountedPayments)

  test.each<[TokenSymbol, 'call' | 'transfer']>([
    ['USDC', 'transfer'],
    ['USDC', 'call'],
    ['ETH', 'transfer'],
    ['ETH', 'call'],
  ])('blocks without a payment cost one request and no statement; one in %s by %s is seen in its block', async (token, way) => {
    const attempt = await world.open('waiting', 20, token)
    const { total, look, find } = await comeToRest(world)
    const { tally } = world.far
    const before = total()
    for (let i = 0; i < 3; i++) {
      await world.mine()
      resetTally(tally)
      expect(await look()).toBe('still')
      expect(tally.requests).toBe(1)
    }
    expect(await look()).toBe('still')
    expect(total()).toBe(before)

    await world.pay(attempt, way)
    await world.mine()
    await find()
    expect(await world.status('waiting')).toBe('paid')
  })

  test('several blocks at once cost a second request, which reads that they follow one another', async () => {
    await world.open('waiting', 20, 'USDC')
    const { look } = await comeToRest(world)
    await world.mine(5)
    resetTally(world.far.tally)
    expect(await look()).toBe('still')
    expect(world.far.tally.requests).toBe(2)
  })

  test('coin that a contract sends without any trace is seen in its block', async () => {
    const { depositAddress, amount } = await world.open('traceless', 20, 'ETH')
    const { find } = await comeToRest(world)
    await sendWithoutTrace(world, depositAddress, BigInt(amount))
    await world.mine()
    await find()
    expect(await world.status('traceless')).toBe('paid')
  })

  test('the attempt ends with the first block after its end', async () => {
    const { depositAddress, expiresAt } = await world.open('ending', 20, 'USDC')
    const { look, find } = await comeToRest(world)
    const isOpen = async () => {
      const text = 'SELECT is_open FROM attempt_target WHERE deposit_address = $1'
      return (await world.rows<{ is_open: boolean }>(text, [depositAddress]))[0]?.is_open
    }
    const { timestamp } = await world.chain.client.getBlock()
    const leftSeconds = Math.floor(expiresAt / 1_000) - Number(timestamp)
    await world.chain.passTime(leftSeconds - 60)
    await world.mine()
    expect(await look()).toBe('still')
    await world.chain.passTime(120)
    await world.mine()
    await find()
    expect(await isOpen()).toBe(false)
  })

  test('blocks that are replaced are read again', async () => {
    const attempt = await world.open('replaced', 20, 'USDC')
    const { look, find } = await comeToRest(world)
    await world.mine(2)
    expect(await look()).toBe('still')
    const sent = await world.pay(attempt, 'transfer')
    await world.chain.reorg(2, [{ raw: sent.raw, offset: 0 }])
    await find()
    await world.mineAndScan(2)
    expect(await world.status('replaced')).toBe('paid')
  })
})

describe('while a payment waits for its depth and nothing is written', () => {
  const far = farChain()
  const world = perCase(() => startPayments({ policy: always('safe'), outbound: far.over }))

  test('blocks cost one request and no statement, and it is paid in the round in which it is deep enough', async () => {
    const attempt = await world.open('deep', 20, 'USDC')
    await world.payAndScan(attempt, 'transfer')
    const { total, look, find } = await comeToRest(world)
    const before = total()
    resetTally(far.tally)
    expect(await look()).toBe('still')
    expect([far.tally.requests, total() - before]).toEqual([1, 0])
    expect(await world.status('deep')).toBe('pending')
    await world.mine(4)
    await find()
    expect(await world.status('deep')).toBe('paid')
  })
})

describe('an endpoint that knows of a block before it knows of its logs', () => {
  const world = perCase(startHidingPayments)

  test('delays a payment by one look', async () => {
    const attempt = await world.open('late', 20, 'USDC')
    const { look, find } = await comeToRest(world)
    const { hash } = await world.pay(attempt, 'transfer')
    await world.mine()
    world.hide([hash], 'once')
    expect(await look()).toBe('still')
    expect(world.endpoint.hiddenCount).toBe(1)
    await find()
    expect(await world.status('late')).toBe('paid')
  })

  test('and one that hides a log from every look delays it until the blocks are read again', async () => {
    const attempt = await world.open('later', 20, 'USDC')
    const { look } = await comeToRest(world)
    const { hash } = await world.pay(attempt, 'transfer')
    await world.mine()
    world.hide([hash])
    for (let i = 0; i < 3; i++) {
      expect(await look()).toBe('still')
      await world.mine()
    }
    expect(await look()).toBe('still')
    world.hide([])
    expect(await look()).toBe('still')
    // The rest is over after half a minute: an ordinary round reads all blocks since the last one.
    await world.scan()
    expect(await world.status('later')).toBe('paid')
  })
})

describe('of two endpoints', () => {
  const world = perCase(() => startHidingPayments({ endpoints: (url) => [url, `${url}/?other`] }))

  test('each is asked once, and a payment that one of them leaves out is seen and held back', async () => {
    const attempt = await world.open('held', 20, 'USDC')
    const { look } = await comeToRest(world)
    await world.mine()
    resetTally(world.endpoint.far.tally)
    expect(await look()).toBe('still')
    expect(world.endpoint.far.tally.requests).toBe(2)
    const { hash } = await world.pay(attempt, 'transfer')
    await world.mine()
    world.hide([hash], 'once')
    expect(await look()).not.toBe('still')
    await world.scan()
    expect(await world.status('held')).toBe('paid')
  })
})
