import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { always } from '../../support/worlds/chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'

/** A payment has to be safe, two blocks deep; each of these loses a deeper one to a reorg. */
let world: PaymentWorld
beforeAll(async () => {
  world = await startPaymentWorld({ policy: always('safe') })
})
afterAll(() => world?.stop())

const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const multicall3Abi = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
])

test('whoever pays again for money that is gone has paid the receipt', async () => {
  const id = 'paid-again'
  await world.newReceipt(id, 25)
  const attempt = await world.attempt(id, 'ETH')
  const pay = { to: attempt.depositAddress as Hex, value: BigInt(attempt.amount) }
  await world.send(pay)
  await mineAndScan()
  expect(await world.status(id)).toBe('paid')
  await lose()
  expect(await paymentOf(id)).toMatchObject({ state: 'orphaned' })
  await world.send({ ...pay, gas: 21_000n })
  await mineAndScan()
  expect(await paymentOf(id)).toMatchObject({ state: 'paid', excess: '0' })
  await world.send({ ...pay, gas: 22_000n })
  await mineAndScan()
  expect(await paymentOf(id)).toMatchObject({ state: 'paid', excess: '0', received: attempt.amount })
})

test('coin from inside a call, which has no key of its own, is found again in another block', async () => {
  const id = 'inside'
  await world.newReceipt(id, 25)
  const { depositAddress, amount } = await world.attempt(id, 'ETH')
  const value = BigInt(amount)
  const call = { target: depositAddress as Hex, allowFailure: false, value, callData: '0x' } as const
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3Value', args: [[call]] })
  const { raw } = await world.send({ to: multicall3, data, value })
  await mineAndScan()
  expect(await world.status(id)).toBe('paid')
  await lose()
  expect(await paymentOf(id)).toMatchObject({ state: 'orphaned' })
  await world.chain.client.sendRawTransaction({ serializedTransaction: raw })
  await mineAndScan()
  expect(await paymentOf(id)).toMatchObject({ state: 'paid', excess: '0' })
})

async function paymentOf(id: string) {
  const { status, payment } = await world.checkout(id)
  expect(status).toBe('paid')
  return payment
}

/** What was sent is read in its first block, and again when it is sure. */
async function mineAndScan() {
  await world.mine()
  await world.scan()
  await world.mine(3)
  await world.scan()
}

async function lose() {
  await world.chain.reorg(4)
  await world.scan()
}

test('a replaced receipt asks for its new total, and what its old offer brings counts towards that', async () => {
  const id = 'replaced'
  await world.newReceipt(id, 10)
  const before = await world.attempt(id, 'USDC')
  await world.newReceipt(id, 25)
  expect((await world.checkout(id)).payment).toMatchObject({ state: 'none', due: '0', missing: '0' })
  await world.pay(before, 'transfer')
  await mineAndScan()
  expect(await world.checkout(id)).toMatchObject({
    status: 'pending',
    payment: { state: 'short', due: '25000000', received: '10000000', missing: '15000000' },
  })
  await world.pay(await world.attempt(id, 'USDC'), 'transfer')
  await mineAndScan()
  expect(await paymentOf(id)).toMatchObject({ state: 'paid', excess: '0', received: '25000000' })
})
