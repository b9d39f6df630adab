import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { makePaperProvider, type PaperChange } from '../../support/api/onramp.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const provider = makePaperProvider(() => context.api.clock.now())
const context = perFile(() => startPayments({ onramp: [provider] }))
let count = 0

async function start() {
  const id = `card-${++count}`
  await context.newReceipt(id, 25)
  const path = `/api/checkout/${id}/onramp?recipient=${context.merchant.wallet}`
  const { status, body, text } = await context.api.call('POST', path)
  if (status !== 201) throw new Error(text)
  const order = provider.orders.get(body.providerSessionId)
  if (!order) throw new Error('the provider has the order')
  return { id, order, sessionId: body.providerSessionId as string }
}
async function report(sessionId: string, change: PaperChange): Promise<void> {
  const response = await context.api.call(
    'POST',
    '/api/onramp/events/paper',
    provider.happen(sessionId, change),
  )
  if (response.status !== 200) throw new Error(response.text)
}
async function deliver({ order }: Awaited<ReturnType<typeof start>>, units: bigint = order.amount.units) {
  const sent = await context.transfer(context.tokenAddress('USDC'), order.depositAddress as Wallet, units)
  await context.mineAndScan()
  return sent.hash
}
const statuses = async (id: string) => (await context.messages(id)).map(({ body }) => body.status)

test('paid on a signed event, then proven by the delivery on chain, and reconciled like any other', async () => {
  const card = await start()
  await report(card.sessionId, { kind: 'settled', transactionHash: `0x${'ef'.repeat(32)}` })
  expect(await context.detail(card.id)).toMatchObject({
    status: 'paid',
    transactionHash: null,
    payment: { provenBy: 'provider', state: 'awaiting', received: 0 },
  })
  const hash = await deliver(card)
  expect(await context.detail(card.id)).toMatchObject({
    status: 'paid',
    transactionHash: hash,
    payment: { provenBy: 'chain', state: 'paid', received: 25, excess: 0 },
    providerSessionId: card.sessionId,
  })
  const [reported] = await context.messages(card.id)
  expect(reported?.body).toMatchObject({ status: 'paid', buyerWallet: null, token: 'USDC' })
  expect(await context.cases(hash)).toEqual([])
  expect(await statuses(card.id)).toEqual(['paid'])
  for (let round = 0; round < 40 && (await context.status(card.id)) !== 'reconciled'; round++) {
    const { sweepDeposits, distributeSplits, settleTransactions, scanDistributions } = jobNames
    await context.run(sweepDeposits, distributeSplits, settleTransactions)
    await context.passTime(10)
    await context.scan()
    await context.run(settleTransactions, scanDistributions, jobNames.reconcileReceipts)
  }
  expect(await statuses(card.id)).toEqual(['paid', 'reconciled'])
  expect((await context.detail(card.id)).transactionHash).toBe(hash)
})

test('the delivery alone pays, and the event that comes later changes nothing', async () => {
  const card = await start()
  const hash = await deliver(card)
  expect(await context.detail(card.id)).toMatchObject({ status: 'paid', payment: { provenBy: 'chain' } })
  await report(card.sessionId, { kind: 'settled' })
  expect(await context.detail(card.id)).toMatchObject({
    status: 'paid',
    transactionHash: hash,
    payment: { provenBy: 'chain' },
    providerSessionId: card.sessionId,
  })
  expect(await statuses(card.id)).toEqual(['paid'])
})

test('a bank payment that settles after six days counts whole, at the price it was asked for', async () => {
  const card = await start()
  await report(card.sessionId, { kind: 'ach_pending' })
  await context.passTime(6 * 86_400)
  await context.scan()
  await report(card.sessionId, { kind: 'settled' })
  await deliver(card)
  expect(await context.detail(card.id)).toMatchObject({
    status: 'paid',
    payment: { provenBy: 'chain', state: 'paid', received: 25, missing: 0 },
  })
  expect(await statuses(card.id)).toEqual(['paid - ach pending', 'paid'])
})

test('paid by wallet and by card, one payment counts and the other one is a case', async () => {
  const card = await start()
  const wallet = await context.attempt(card.id, 'USDC')
  expect(wallet.depositAddress).not.toBe(card.order.depositAddress)
  const { hash } = await context.payAndScan(wallet, 'transfer')
  await report(card.sessionId, { kind: 'settled' })
  const delivered = await deliver(card)
  expect(await context.detail(card.id)).toMatchObject({ status: 'paid', transactionHash: hash })
  expect(await context.cases(delivered)).toMatchObject([{ amountRaw: '25000000', reason: 'receipt-settled' }])
  expect(await context.cases(hash)).toEqual([])
})

test('a delivery in parts is credited part by part', async () => {
  const card = await start()
  await report(card.sessionId, { kind: 'accepted' })
  const { units } = card.order.amount
  await deliver(card, units - 1n)
  expect(await context.detail(card.id)).toMatchObject({ status: 'paid', payment: { provenBy: 'provider' } })
  const hash = await deliver(card, 1n)
  expect(await context.detail(card.id)).toMatchObject({
    transactionHash: hash,
    payment: { provenBy: 'chain' },
  })
  expect(await context.cases(hash)).toEqual([])
})
