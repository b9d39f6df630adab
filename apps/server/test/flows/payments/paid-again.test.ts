import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { forwardCall } from '../../support/chain/calls.ts'
import { always } from '../../support/chain/chain-api.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

/** A payment counts once its block is safe, two blocks deep. Each test reverts payments that are deeper. */
const context = perFile(() => startPayments({ policy: always('safe') }))

const isPaid = { status: 'paid', state: 'paid', excess: '0' }

test('whoever pays again for money that is gone has paid the receipt', async () => {
  const id = 'paid-again'
  const attempt = await context.open(id, 25, 'ETH')
  const pay = { to: attempt.depositAddress as Hex, value: BigInt(attempt.amount) }
  await context.send(pay)
  await settle()
  expect(await context.status(id)).toBe('paid')
  await lose()
  expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'orphaned' })
  await context.send({ ...pay, gas: 21_000n })
  await settle()
  expect(await context.payment(id)).toMatchObject(isPaid)
  await context.send({ ...pay, gas: 22_000n })
  await settle()
  expect(await context.payment(id)).toMatchObject({ ...isPaid, received: attempt.amount })
})

test('coin from inside a call, which has no key of its own, is found again in another block', async () => {
  const id = 'inside'
  const { depositAddress, amount } = await context.open(id, 25, 'ETH')
  const { raw } = await context.send(forwardCall(depositAddress, BigInt(amount)))
  await settle()
  expect(await context.status(id)).toBe('paid')
  await lose()
  expect(await context.payment(id)).toMatchObject({ status: 'paid', state: 'orphaned' })
  await context.chain.client.sendRawTransaction({ serializedTransaction: raw })
  await settle()
  expect(await context.payment(id)).toMatchObject(isPaid)
})

async function settle() {
  await context.mineAndScan()
  await context.mineAndScan(3)
}

async function lose() {
  await context.reorg(4)
}

test('a replaced receipt asks for its new total, and what its old offer brings counts towards that', async () => {
  const id = 'replaced'
  const before = await context.open(id, 10, 'USDC')
  await context.newReceipt(id, 25)
  expect(await context.payment(id)).toMatchObject({ state: 'none', due: '0', missing: '0' })
  await context.pay(before, 'transfer')
  await settle()
  const short = { state: 'short', due: '25000000', received: '10000000', missing: '15000000' }
  expect(await context.payment(id)).toMatchObject({ status: 'pending', ...short })
  await context.pay(await context.attempt(id, 'USDC'), 'transfer')
  await settle()
  expect(await context.payment(id)).toMatchObject({ ...isPaid, received: '25000000' })
})
