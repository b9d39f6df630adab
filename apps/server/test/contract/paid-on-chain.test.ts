import { afterAll, beforeAll, expect } from 'vitest'
import { type PaymentWorld, startPaymentWorld } from '../support/payment-world.ts'
import { row } from '../support/row.ts'

let world: PaymentWorld

beforeAll(async () => {
  world = await startPaymentWorld()
})
afterAll(() => world?.stop())

row('transition.pending-paid', 'a payment in a block makes it paid, and owes the webhook', async () => {
  await world.newReceipt('sale-1', 12.34)
  const attempt = await world.attempt('sale-1', 'USDC')
  const { hash } = await world.pay(attempt, 'transfer')
  await world.scan()
  expect(await world.status('sale-1')).toBe('pending')
  await world.mine()
  await world.scan()
  const { key } = world.merchant
  const status = await world.api.call('GET', '/api/receipts/status?receiptId=sale-1', { key })
  expect(status.body).toMatchObject({
    status: 'paid',
    currency: 'USDC',
    amount: 12.34,
    amountRaw: '12340000',
    transactionHash: hash,
  })
  const { body } = await world.api.call('GET', '/api/receipts/sale-1', { key })
  const { timestamp } = await world.chain.client.getBlock()
  expect([body.transactionHash, body.transactionTimestamp]).toEqual([hash, Number(timestamp) * 1000])
  const notices = await world.notices('sale-1')
  expect(notices.map((notice) => notice.body)).toMatchObject([
    {
      status: 'paid',
      previousStatus: 'pending',
      transactionHash: hash,
      buyerWallet: world.buyer.address,
      token: 'USDC',
      totalUsd: 12.34,
    },
  ])
})

row('rule.2.other-attempt', 'a failure of one attempt does not undo what another one paid', async () => {
  await world.newReceipt('sale-2', 5)
  const first = await world.attempt('sale-2', 'USDC')
  await world.attempt('sale-2', 'USDT')
  await world.pay(first, 'call')
  await world.mine()
  await world.scan()
  await world.api.clock.advance(16 * 60_000)
  await world.mine()
  await world.scan()
  expect(await world.status('sale-2')).toBe('paid')
  expect(await world.notices('sale-2')).toHaveLength(1)
})
