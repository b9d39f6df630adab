import { noFailure } from '@sluice/protocol/failures.ts'
import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { makePaperProvider } from '../support/api/onramp.ts'
import { delivering, startDeliveries } from '../support/api/webhooks.ts'
import { startPayments } from '../support/chain/payments.ts'
import { perFile } from '../support/per-file.ts'

const provider = makePaperProvider(() => context.api.clock.now())
const context = perFile(() => startPayments({ ...delivering, onramp: [provider] }))
const deliveries = perFile(() => startDeliveries(context.api))
let count = 0

const get = async (path: string) => (await context.api.call('GET', path, { key: context.merchant.key })).body
const detail = (id: string) => get(`/api/receipts/${id}`)
async function made() {
  const id = `chain-${++count}`
  await context.newReceipt(id, 3.5, { webhook_url: `${deliveries.receiver.url}/hook` })
  return id
}
async function paid() {
  const id = await made()
  const { hash } = await context.pay(await context.attempt(id, 'USDC'), 'transfer')
  await context.mine()
  const { timestamp } = await context.chain.client.getBlock()
  await context.scan()
  return { id, hash, paidAt: Number(timestamp) * 1000 }
}
async function reported(id: string) {
  const [received] = await deliveries.received(id, 1)
  return JSON.parse(received?.body.toString() ?? 'null')
}

row('transition.pending-paid', 'a payment in a block sets paid and creates the webhook', async () => {
  await context.newReceipt('sale-1', 12.34)
  const attempt = await context.attempt('sale-1', 'USDC')
  const { hash } = await context.pay(attempt, 'transfer')
  await context.scan()
  expect(await context.status('sale-1')).toBe('pending')
  await context.mine()
  await context.scan()
  const paidNow = { status: 'paid', transactionHash: hash }
  const status = await get('/api/receipts/status?receiptId=sale-1')
  expect(status).toMatchObject({ ...paidNow, currency: 'USDC', amount: 12.34, amountRaw: '12340000' })
  const { transactionHash, transactionTimestamp } = await detail('sale-1')
  const { timestamp } = await context.chain.client.getBlock()
  expect([transactionHash, transactionTimestamp]).toEqual([hash, Number(timestamp) * 1000])
  const messages = await context.messages('sale-1')
  const sale = { buyerWallet: context.buyer.address, token: 'USDC', totalUsd: 12.34 }
  expect(messages.map((message) => message.body)).toMatchObject([
    { ...paidNow, previousStatus: 'pending', ...sale },
  ])
})

row(
  'receipt.transactionHash',
  'is null until the receipt is paid, then the hash of the payment',
  async () => {
    expect((await detail(await made())).transactionHash).toBeNull()
    const { id, hash } = await paid()
    expect((await detail(id)).transactionHash).toBe(hash)
  },
)

row('receipt.transactionTimestamp', "is the time of the payment's block in Unix milliseconds", async () => {
  expect((await detail(await made())).transactionTimestamp).toBeNull()
  const { id, paidAt } = await paid()
  expect((await detail(id)).transactionTimestamp).toBe(paidAt)
})

row('get-receipts-status.paid', 'contains the hash, the token symbol and the received amount', async () => {
  const { id, hash } = await paid()
  const received = { currency: 'USDC', amount: 3.5, amountRaw: '3500000', transactionHash: hash }
  const status = await get(`/api/receipts/status?receiptId=${id}`)
  expect(status).toEqual({ id, status: 'paid', ...received, ...noFailure })
  const checked = await get(`/api/terminal/check-payment?receiptId=${id}`)
  expect(checked).toMatchObject({ paid: true, transactionHash: hash, payment: { state: 'paid' } })
})

row('webhook-body.idempotencyKey', 'consists of receipt id, status and transaction hash', async () => {
  const { id, hash } = await paid()
  expect((await reported(id)).idempotencyKey).toBe(`receipt-status:${id}:paid:${hash}`)
})

row('webhook-body.transactionHash', 'is the hash of the payment', async () => {
  const { id, hash } = await paid()
  expect((await reported(id)).transactionHash).toBe(hash)
})

row('webhook-body.buyerWallet', "is the payer's wallet", async () => {
  const { id } = await paid()
  expect((await reported(id)).buyerWallet).toBe(context.buyer.address)
})

row('rule.2.other-attempt', 'does not fail a receipt for which another attempt is open or paid', async () => {
  await context.newReceipt('sale-2', 5)
  const response = await context.api.call(
    'POST',
    `/api/checkout/sale-2/onramp?recipient=${context.merchant.wallet}`,
  )
  const decline = async () => {
    const change = { kind: 'failed', errorCode: 'card_declined', at: context.api.clock.now() } as const
    const event = provider.happen(response.body.providerSessionId, change)
    expect((await context.api.call('POST', '/api/onramp/events/paper', event)).status).toBe(200)
  }
  const wallet = await context.attempt('sale-2', 'USDC')
  await decline()
  expect(await context.status('sale-2')).toBe('pending')
  await context.payAndScan(wallet, 'call')
  await context.api.clock.advance(16 * 60_000)
  await decline()
  await context.mineAndScan()
  expect(await context.status('sale-2')).toBe('paid')
  expect(await context.messages('sale-2')).toHaveLength(1)
})
