import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { forwardCall } from '../../support/chain/calls.ts'
import { always } from '../../support/chain/chain-api.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

/** A payment has to be safe, two blocks deep; each of these loses a deeper one to a reorg. */
const world = perFile(() => startPayments({ policy: always('safe') }))

const isPaid = { status: 'paid', state: 'paid', excess: '0' }

test('whoever pays again for money that is gone has paid the receipt', async () => {
  const id = 'paid-again'
  const attempt = await world.open(id, 25, 'ETH')
  const pay = { to: attempt.depositAddress as Hex, value: BigInt(attempt.amount) }
  await world.send(pay)
  await settle()
  expect(await world.status(id)).toBe('paid')
  await lose()
  expect(await world.payment(id)).toMatchObject({ status: 'paid', state: 'orphaned' })
  await world.send({ ...pay, gas: 21_000n })
  await settle()
  expect(await world.payment(id)).toMatchObject(isPaid)
  await world.send({ ...pay, gas: 22_000n })
  await settle()
  expect(await world.payment(id)).toMatchObject({ ...isPaid, received: attempt.amount })
})

test('coin from inside a call, which has no key of its own, is found again in another block', async () => {
  const id = 'inside'
  const { depositAddress, amount } = await world.open(id, 25, 'ETH')
  const { raw } = await world.send(forwardCall(depositAddress, BigInt(amount)))
  await settle()
  expect(await world.status(id)).toBe('paid')
  await lose()
  expect(await world.payment(id)).toMatchObject({ status: 'paid', state: 'orphaned' })
  await world.chain.client.sendRawTransaction({ serializedTransaction: raw })
  await settle()
  expect(await world.payment(id)).toMatchObject(isPaid)
})

/** What was sent is read in its first block, and again when it is sure. */
async function settle() {
  await world.mineAndScan()
  await world.mineAndScan(3)
}

async function lose() {
  await world.reorg(4)
}

test('a replaced receipt asks for its new total, and what its old offer brings counts towards that', async () => {
  const id = 'replaced'
  const before = await world.open(id, 10, 'USDC')
  await world.newReceipt(id, 25)
  expect(await world.payment(id)).toMatchObject({ state: 'none', due: '0', missing: '0' })
  await world.pay(before, 'transfer')
  await settle()
  const short = { state: 'short', due: '25000000', received: '10000000', missing: '15000000' }
  expect(await world.payment(id)).toMatchObject({ status: 'pending', ...short })
  await world.pay(await world.attempt(id, 'USDC'), 'transfer')
  await settle()
  expect(await world.payment(id)).toMatchObject({ ...isPaid, received: '25000000' })
})
