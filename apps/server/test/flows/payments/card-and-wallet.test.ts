import type { Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { makePaperProvider, type PaperChange } from '../../support/api/onramp.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const provider = makePaperProvider(() => context.api.clock.now())
const context = perFile(() => startPayments({ onramp: [provider] }))
let count = 0
const newId = () => `both-${++count}`

const startCard = (id: string) =>
  context.api.call('POST', `/api/checkout/${id}/onramp?recipient=${context.merchant.wallet}`)

async function openCard(id: string) {
  const { status, body, text } = await startCard(id)
  expect(status, text).toBe(201)
  const sessionId = body.providerSessionId as string
  const order = provider.orders.get(sessionId)
  if (!order) throw new Error('the provider has the order')
  return { sessionId, order }
}

async function report(sessionId: string, change: PaperChange): Promise<void> {
  const response = await context.api.call(
    'POST',
    '/api/onramp/events/paper',
    provider.happen(sessionId, change),
  )
  expect(response.status, response.text).toBe(200)
}

const edit = (id: string, usd: number) => {
  const body = { lineItems: [{ label: 'Thing', priceUsd: usd }], totalUsd: usd }
  return context.asOwner('PATCH', `/api/receipts/${id}`, body)
}

describe.each(['settled', 'ach_pending'] as const)('a provider’s word (%s)', (kind) => {
  test('is not asked for while money of a wallet is not confirmed', async () => {
    const id = newId()
    // A payment this large counts only once its block is safe or final.
    const attempt = await context.open(id, 4_000, 'USDC')
    await context.payAndScan(attempt, 'transfer', 3_999_000_000n)
    const refused = await startCard(id)
    expect([refused.status, refused.body.error]).toEqual([409, 'attempt_open'])
    expect(refused.body.message).toContain('being confirmed')
    expect((await context.checkout(id)).onramp).toMatchObject({ methods: [] })
  })

  test('pays the rest once the wallet’s money is confirmed', async () => {
    const id = newId()
    const attempt = await context.open(id, 4_000, 'USDC')
    await context.payAndScan(attempt, 'transfer', 3_999_000_000n)
    await context.mineAndScan(8)
    expect((await context.checkout(id)).onramp).toMatchObject({ methods: ['card', 'ach'] })
    const { sessionId, order } = await openCard(id)
    expect(order.dueCents).toBe(100n)
    await report(sessionId, { kind })
    expect(await context.status(id)).toBe(kind === 'settled' ? 'paid' : 'paid - ach pending')
  })

  test('pays nothing once the wallet’s money was given back', async () => {
    const id = newId()
    const attempt = await context.open(id, 4_000, 'USDC')
    await context.payAndScan(attempt, 'transfer', 3_999_000_000n)
    await context.mineAndScan(8)
    const { sessionId } = await openCard(id)
    const { wallet } = context.merchant
    const body = { receiptId: id, wallet, buyer: context.buyer.address, usd: 3_999 }
    expect((await context.asOwner('POST', '/api/receipts/refund', body)).status).toBe(200)
    await report(sessionId, { kind })
    expect(await context.status(id)).toBe('pending')
  })

  test('pays nothing if a reorg has taken the rest back, and the chain decides', async () => {
    const id = newId()
    const attempt = await context.open(id, 2_000, 'USDC')
    await context.payAndScan(attempt, 'transfer', 1_999_000_000n)
    for (let i = 0; i < 8 && (await startCard(id)).status === 409; i++) await context.mineAndScan()
    const { sessionId, order } = await openCard(id)
    await context.reorg(12)
    await report(sessionId, { kind })
    expect(await context.status(id)).toBe('pending')
    await context.transfer(context.tokenAddress('USDC'), order.depositAddress as Wallet, order.amount.units)
    await context.pay(attempt, 'transfer', 1_999_000_000n)
    await context.mineAndScan(8)
    expect(await context.status(id)).toBe('paid')
  })
})

describe('a reorg that removes money before it is confirmed', () => {
  const about = async (id: string) => {
    const { payment, timeline } = await context.detail(id)
    const { body } = await context.api.call('GET', '/api/payments/questions', { key: context.merchant.key })
    return {
      status: await context.status(id),
      state: payment.state,
      orphaned: timeline.filter(({ kind }: { kind: string }) => kind === 'payment_orphaned').length,
      fact: (await context.messages(id)).at(-1)?.key.split(':').at(-2),
      isAsked: body.receipts.some(({ receiptId }: { receiptId: string }) => receiptId === id),
    }
  }

  test('is reported like a reversal if a card paid the receipt and this was its delivery', async () => {
    const id = newId()
    await context.newReceipt(id, 400)
    const { sessionId, order } = await openCard(id)
    await report(sessionId, { kind: 'settled' })
    const usdc = context.tokenAddress('USDC')
    const sent = await context.transfer(usdc, order.depositAddress as Wallet, order.amount.units)
    await context.mineAndScan()
    const before = context.alerts().length
    await context.reorg(1)
    const gone = { status: 'paid', state: 'orphaned', orphaned: 1, fact: 'orphaned', isAsked: true }
    expect(await about(id)).toEqual(gone)
    expect(context.alerts().slice(before)).toEqual(['payment-orphaned'])
    await context.resend(sent)
    await context.mineAndScan(8)
    expect(await about(id)).toEqual({ ...gone, state: 'paid', fact: 'replaced', isAsked: false })
  })

  test('is no news if the receipt was paid without it', async () => {
    const id = newId()
    const attempt = await context.open(id, 400, 'USDC')
    await context.payAndScan(attempt, 'transfer')
    await context.mineAndScan(8)
    await context.pay(attempt, 'transfer', 5_000_000n)
    await context.mineAndScan()
    const before = [context.alerts().length, (await context.messages(id)).length]
    await context.reorg(1)
    expect([context.alerts().length, (await context.messages(id)).length]).toEqual(before)
    expect(await about(id)).toMatchObject({ status: 'paid', state: 'paid', orphaned: 0, isAsked: false })
  })
})

describe('a receipt that became dearer', () => {
  test('is not edited while a session can still be paid, declined or not', async () => {
    const id = newId()
    await context.newReceipt(id, 1)
    const { sessionId } = await openCard(id)
    await report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
    const refused = await edit(id, 2_000)
    expect([refused.status, refused.body.error]).toEqual([409, 'attempt_open'])
  })

  test('is not paid by a session that was opened for less', async () => {
    const id = newId()
    await context.newReceipt(id, 1)
    const { sessionId } = await openCard(id)
    await report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
    await context.rows('UPDATE receipt SET total_cents = 200000 WHERE id = $1', [id])
    await report(sessionId, { kind: 'settled' })
    expect(await context.status(id)).not.toBe('paid')
  })
})
