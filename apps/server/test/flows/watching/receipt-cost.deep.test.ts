import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { sendMany } from '../../support/chain/calls.ts'
import { transferData } from '../../support/chain/chain-api.ts'
import { perCase } from '../../support/per-file.ts'
import { dustSum } from '../../support/routes/many-targets.ts'
import { startCountedPayments } from './watched-payments.ts'

const context = perCase(startCountedPayments)

const dustCount = 400

async function settleCheaply() {
  const { requests, statements } = await context.settle()
  expect(requests).toBeLessThan(20)
  expect(statements).toBeLessThan(70)
}

test('four hundred dust transfers of a token in one block cost a handful of statements', async () => {
  const target = await context.open('stranger', 20, 'USDC')
  const attempt = await context.open('buyer', 20, 'USDC')
  const data = transferData(target.depositAddress, 1n)
  for (let i = 0; i < dustCount; i++)
    await context.send({ to: context.tokenAddress('USDC'), data, gas: 70_000n })
  await context.pay(attempt, 'transfer')
  await context.mine()

  await settleCheaply()
  expect(await context.status('buyer')).toBe('paid')
  expect(await dustSum(context, 'stranger')).toBe(BigInt(dustCount))
})

test('four hundred calls of one unit to one receipt cost a handful of statements, paid or not', async () => {
  const target = await context.open('stranger', 20, 'ETH')
  const attempt = await context.open('buyer', 20, 'ETH')
  const [call] = target.calls
  const dust = async () => {
    const dust = { to: target.payTo as Hex, data: call?.data as Hex, value: 1n, gas: 60_000n }
    await sendMany(context, dustCount, dust)
    await context.mine()
  }
  await context.pay(attempt, 'transfer')
  await dust()
  await settleCheaply()
  expect(await context.status('buyer')).toBe('paid')

  await context.pay(await context.attempt('stranger', 'ETH'), 'transfer')
  await context.mine()
  await context.settle()
  expect(await context.status('stranger')).toBe('paid')
  await dust()
  await settleCheaply()
})
