import type { Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { makePaperProvider, type PaperChange } from '../../support/api/onramp.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const provider = makePaperProvider(() => world.api.clock.now())
const world = perFile(() => startPayments({ onramp: [provider] }))
let count = 0
const newId = () => `both-${++count}`

const startCard = (id: string) =>
  world.api.call('POST', `/api/checkout/${id}/onramp?recipient=${world.merchant.wallet}`)

/** Opens a session; returns its id and its order. */
async function openCard(id: string) {
  const { status, body, text } = await startCard(id)
  expect(status, text).toBe(201)
  const sessionId = body.providerSessionId as string
  const order = provider.orders.get(sessionId)
  if (!order) throw new Error('the provider has the order')
  return { sessionId, order }
}

async function report(sessionId: string, change: PaperChange): Promise<void> {
  const response = await world.api.call(
    'POST',
    '/api/onramp/events/paper',
    provider.happen(sessionId, change),
  )
  expect(response.status, response.text).toBe(200)
}

const edit = (id: string, usd: number) => {
  const body = { lineItems: [{ label: 'Thing', priceUsd: usd }], totalUsd: usd }
  return world.asOwner('PATCH', `/api/receipts/${id}`, body)
}

describe.each(['settled', 'ach_pending'] as const)('a provider’s word (%s)', (kind) => {
  test('is not asked for while money of a wallet is not confirmed', async () => {
    const id = newId()
    // So large a payment counts once its block is safe or final.
    const attempt = await world.open(id, 4_000, 'USDC')
    await world.payAndScan(attempt, 'transfer', 3_999_000_000n)
    const refused = await startCard(id)
    expect([refused.status, refused.body.error]).toEqual([409, 'attempt_open'])
    expect(refused.body.message).toContain('confirming')
    expect((await world.checkout(id)).onramp).toMatchObject({ methods: [] })
  })

  test('pays the rest once the wallet’s money is confirmed', async () => {
    const id = newId()
    const attempt = await world.open(id, 4_000, 'USDC')
    await world.payAndScan(attempt, 'transfer', 3_999_000_000n)
    await world.mineAndScan(8)
    expect((await world.checkout(id)).onramp).toMatchObject({ methods: ['card', 'ach'] })
    const { sessionId, order } = await openCard(id)
    expect(order.dueCents).toBe(100n)
    await report(sessionId, { kind })
    expect(await world.status(id)).toBe(kind === 'settled' ? 'paid' : 'paid - ach pending')
  })

  test('pays nothing once the wallet’s money was given back', async () => {
    const id = newId()
    const attempt = await world.open(id, 4_000, 'USDC')
    await world.payAndScan(attempt, 'transfer', 3_999_000_000n)
    await world.mineAndScan(8)
    const { sessionId } = await openCard(id)
    const { wallet } = world.merchant
    const body = { receiptId: id, wallet, buyer: world.buyer.address, usd: 3_999 }
    expect((await world.asOwner('POST', '/api/receipts/refund', body)).status).toBe(200)
    await report(sessionId, { kind })
    expect(await world.status(id)).toBe('pending')
  })

  test('pays nothing if a reorg has taken the rest back, and the chain decides', async () => {
    const id = newId()
    const attempt = await world.open(id, 2_000, 'USDC')
    await world.payAndScan(attempt, 'transfer', 1_999_000_000n)
    for (let i = 0; i < 8 && (await startCard(id)).status === 409; i++) await world.mineAndScan()
    const { sessionId, order } = await openCard(id)
    await world.reorg(12)
    await report(sessionId, { kind })
    expect(await world.status(id)).toBe('pending')
    await world.transfer(world.tokenAddress('USDC'), order.depositAddress as Wallet, order.amount.units)
    await world.pay(attempt, 'transfer', 1_999_000_000n)
    await world.mineAndScan(8)
    expect(await world.status(id)).toBe('paid')
  })
})

describe('a reorg that removes money before it is confirmed', () => {
  const about = async (id: string) => {
    const { payment, timeline } = await world.detail(id)
    const { body } = await world.api.call('GET', '/api/payments/questions', { key: world.merchant.key })
    return {
      status: await world.status(id),
      state: payment.state,
      orphaned: timeline.filter(({ kind }: { kind: string }) => kind === 'payment_orphaned').length,
      fact: (await world.notices(id)).at(-1)?.key.split(':').at(-2),
      isAsked: body.receipts.some(({ receiptId }: { receiptId: string }) => receiptId === id),
    }
  }

  test('is reported like a reversal if a card paid the receipt and this was its delivery', async () => {
    const id = newId()
    await world.newReceipt(id, 400)
    const { sessionId, order } = await openCard(id)
    await report(sessionId, { kind: 'settled' })
    const usdc = world.tokenAddress('USDC')
    const sent = await world.transfer(usdc, order.depositAddress as Wallet, order.amount.units)
    await world.mineAndScan()
    const before = world.alerts().length
    await world.reorg(1)
    const gone = { status: 'paid', state: 'orphaned', orphaned: 1, fact: 'orphaned', isAsked: true }
    expect(await about(id)).toEqual(gone)
    expect(world.alerts().slice(before)).toEqual(['payment-orphaned'])
    await world.resend(sent)
    await world.mineAndScan(8)
    expect(await about(id)).toEqual({ ...gone, state: 'paid', fact: 'replaced', isAsked: false })
  })

  test('is no news if the receipt was paid without it', async () => {
    const id = newId()
    const attempt = await world.open(id, 400, 'USDC')
    await world.payAndScan(attempt, 'transfer')
    await world.mineAndScan(8)
    await world.pay(attempt, 'transfer', 5_000_000n)
    await world.mineAndScan()
    const before = [world.alerts().length, (await world.notices(id)).length]
    await world.reorg(1)
    expect([world.alerts().length, (await world.notices(id)).length]).toEqual(before)
    expect(await about(id)).toMatchObject({ status: 'paid', state: 'paid', orphaned: 0, isAsked: false })
  })
})

describe('a receipt that became dearer', () => {
  test('is not edited while a session can still be paid, declined or not', async () => {
    const id = newId()
    await world.newReceipt(id, 1)
    const { sessionId } = await openCard(id)
    await report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
    const refused = await edit(id, 2_000)
    expect([refused.status, refused.body.error]).toEqual([409, 'attempt_open'])
  })

  test('is not paid by a session that was opened for less', async () => {
    const id = newId()
    await world.newReceipt(id, 1)
    const { sessionId } = await openCard(id)
    await report(sessionId, { kind: 'failed', errorCode: 'card_declined' })
    await world.rows('UPDATE receipt SET total_cents = 200000 WHERE id = $1', [id])
    await report(sessionId, { kind: 'settled' })
    expect(await world.status(id)).not.toBe('paid')
  })
})
