import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { sendMany } from '../../support/asking/send-many.ts'
import { dustSum } from '../../support/routes/many-targets.ts'
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

test('four hundred dust transfers of a token in one block cost a handful of statements', async () => {
  const { settle } = await start()
  await world.newReceipt('stranger', 20)
  await world.newReceipt('buyer', 20)
  const target = await world.attempt('stranger', 'USDC')
  const attempt = await world.attempt('buyer', 'USDC')
  const args = [target.depositAddress as Hex, 1n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  for (let i = 0; i < dustCount; i++) await world.send({ to: world.tokenAddress('USDC'), data, gas: 70_000n })
  await world.pay(attempt, 'transfer')
  await world.mine()

  const { requests, statements } = await settle()
  expect(await world.status('buyer')).toBe('paid')
  expect(requests).toBeLessThan(20)
  expect(statements).toBeLessThan(60)
  expect(await dustSum(world, 'stranger')).toBe(BigInt(dustCount))
})

test('four hundred calls of one unit to one receipt cost a handful of statements, paid or not', async () => {
  const { settle } = await start()
  await world.newReceipt('stranger', 20)
  await world.newReceipt('buyer', 20)
  const target = await world.attempt('stranger', 'ETH')
  const attempt = await world.attempt('buyer', 'ETH')
  const [call] = target.calls
  const dust = async () => {
    const dust = { to: target.payTo as Hex, data: call?.data as Hex, value: 1n, gas: 60_000n }
    await sendMany(world, dustCount, dust)
    await world.mine()
  }
  await world.pay(attempt, 'transfer')
  await dust()
  const first = await settle()
  expect(await world.status('buyer')).toBe('paid')
  expect(first.requests).toBeLessThan(20)
  expect(first.statements).toBeLessThan(60)

  await world.pay(await world.attempt('stranger', 'ETH'), 'transfer')
  await world.mine()
  await settle()
  expect(await world.status('stranger')).toBe('paid')
  await dust()
  const surplus = await settle()
  expect(surplus.requests).toBeLessThan(20)
  expect(surplus.statements).toBeLessThan(60)
})
