import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { sendMany } from '../../support/chain/calls.ts'
import { transferData } from '../../support/chain/chain-api.ts'
import { perCase } from '../../support/per-file.ts'
import { dustSum } from '../../support/routes/many-targets.ts'
import { startCountedPayments } from './watched-payments.ts'

const world = perCase(startCountedPayments)

const dustCount = 400

/** Catches up, with what it may cost at most. */
async function settleCheaply() {
  const { requests, statements } = await world.settle()
  expect(requests).toBeLessThan(20)
  expect(statements).toBeLessThan(60)
}

test('four hundred dust transfers of a token in one block cost a handful of statements', async () => {
  const target = await world.open('stranger', 20, 'USDC')
  const attempt = await world.open('buyer', 20, 'USDC')
  const data = transferData(target.depositAddress, 1n)
  for (let i = 0; i < dustCount; i++) await world.send({ to: world.tokenAddress('USDC'), data, gas: 70_000n })
  await world.pay(attempt, 'transfer')
  await world.mine()

  await settleCheaply()
  expect(await world.status('buyer')).toBe('paid')
  expect(await dustSum(world, 'stranger')).toBe(BigInt(dustCount))
})

test('four hundred calls of one unit to one receipt cost a handful of statements, paid or not', async () => {
  const target = await world.open('stranger', 20, 'ETH')
  const attempt = await world.open('buyer', 20, 'ETH')
  const [call] = target.calls
  const dust = async () => {
    const dust = { to: target.payTo as Hex, data: call?.data as Hex, value: 1n, gas: 60_000n }
    await sendMany(world, dustCount, dust)
    await world.mine()
  }
  await world.pay(attempt, 'transfer')
  await dust()
  await settleCheaply()
  expect(await world.status('buyer')).toBe('paid')

  await world.pay(await world.attempt('stranger', 'ETH'), 'transfer')
  await world.mine()
  await world.settle()
  expect(await world.status('stranger')).toBe('paid')
  await dust()
  await settleCheaply()
})
