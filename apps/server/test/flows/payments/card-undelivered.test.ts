import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { makePaperProvider, type PaperChange } from '../../support/api/onramp.ts'
import { startPayments } from '../../support/chain/payments.ts'
import { perFile } from '../../support/per-file.ts'

const provider = makePaperProvider(() => context.api.clock.now())
const context = perFile(() => startPayments({ onramp: [provider] }))
const hourMs = 3_600_000
let count = 0

async function paidByCard(change: PaperChange) {
  const id = `card-${++count}`
  await context.syncClock()
  await context.newReceipt(id, 5)
  const opened = await context.api.call(
    'POST',
    `/api/checkout/${id}/onramp?recipient=${context.merchant.wallet}`,
  )
  const sessionId = opened.body.providerSessionId as string
  const order = provider.orders.get(sessionId)
  if (!order) throw new Error('the provider has the order')
  await report(sessionId, change)
  return { id, sessionId, depositAddress: order.depositAddress as Wallet }
}

async function report(sessionId: string, change: PaperChange): Promise<void> {
  const response = await context.api.call(
    'POST',
    '/api/onramp/events/paper',
    provider.happen(sessionId, change),
  )
  expect(response.status, response.text).toBe(200)
}

async function pass(hours: number): Promise<void> {
  context.api.clock.jumpTo(context.api.clock.now() + hours * hourMs)
  await context.run(jobNames.pollOnramp)
}

async function questions(id: string): Promise<string[]> {
  const { body } = await context.api.call('GET', '/api/payments/questions', { key: context.merchant.key })
  return body.receipts.find((each: { receiptId: string }) => each.receiptId === id)?.reasons ?? []
}

async function reported(id: string) {
  const alerts = context.logged.filter(({ alert, receiptId }) => alert && receiptId === id)
  const { timeline, payment } = await context.detail(id)
  const kinds: string[] = timeline.map(({ kind }: { kind: string }) => kind)
  const keys = (await context.messages(id)).map(({ key }) => key)
  return {
    alerts: alerts.map(({ alert }) => alert),
    entries: kinds.filter((kind) => kind === 'delivery_overdue' || kind === 'provider_reversed'),
    events: keys.flatMap((key) => /:(delivery-overdue|provider-reversed):[0-9A-Z]{26}$/.exec(key)?.[1] ?? []),
    delivery: payment.delivery,
    questions: await questions(id),
  }
}

const nothing = { alerts: [], entries: [], events: [], delivery: null, questions: [] }
const overdue = {
  alerts: ['delivery-overdue'],
  entries: ['delivery_overdue'],
  events: ['delivery-overdue'],
  delivery: 'overdue',
  questions: ['delivery-overdue'],
}

test.each([
  ['settled', 24],
  ['accepted', 24],
  ['ach_pending', 120],
] as const)('a payment (%s) whose money does not arrive is reported once, after %i hours', async (kind, hours) => {
  const { id, depositAddress } = await paidByCard({ kind })
  const status = await context.status(id)
  await pass(hours - 1)
  expect(await reported(id)).toEqual(nothing)
  await pass(1.1)
  expect(await reported(id)).toEqual(overdue)
  await pass(30)
  expect(await reported(id)).toEqual(overdue)
  expect(await context.status(id)).toBe(status)
  await context.transfer(context.tokenAddress('USDC'), depositAddress, 5_000_000n)
  await context.mineAndScan(8)
  expect(await reported(id)).toEqual({ ...overdue, delivery: null, questions: [] })
})

test.each([
  ['short', 'USDC', 4_999_999n],
  ['in another token', 'USDT', 5_000_000n],
] as const)('money that arrives %s is reported like money that does not', async (_, token, units) => {
  const { id, depositAddress } = await paidByCard({ kind: 'settled' })
  await context.transfer(context.tokenAddress(token), depositAddress, units)
  await context.mineAndScan(8)
  await pass(25)
  expect(await reported(id)).toEqual(overdue)
})

test('money that arrives in time is not reported, and the provider is not asked again', async () => {
  const { id, depositAddress } = await paidByCard({ kind: 'settled' })
  await context.transfer(context.tokenAddress('USDC'), depositAddress, 5_000_000n)
  await context.mineAndScan(8)
  const { find } = provider.calls
  await pass(25)
  expect(await reported(id)).toEqual(nothing)
  expect(provider.calls.find - find).toBeLessThanOrEqual(2)
})

test('a reversal by the provider is reported once, and the status stays', async () => {
  const { id, sessionId } = await paidByCard({ kind: 'settled' })
  const at = (ms: number) => (context.api.clock.now() + ms) as never
  for (const ms of [60_000, 120_000])
    await report(sessionId, { kind: 'failed', errorCode: 'card_declined', at: at(ms) })
  expect(await context.status(id)).toBe('paid')
  expect(await reported(id)).toEqual({
    alerts: ['provider-reversal'],
    entries: ['provider_reversed'],
    events: ['provider-reversed'],
    delivery: 'reversed',
    questions: ['provider-reversed'],
  })
})

test('a delivery that is overdue when the provider first reports it is reported', async () => {
  const at = (context.api.clock.now() - 25 * hourMs) as never
  const { id } = await paidByCard({ kind: 'settled', at })
  await pass(0)
  expect(await reported(id)).toEqual(overdue)
})

test('a reversal whose loss the merchant accepted is not reported again', async () => {
  const { id, sessionId } = await paidByCard({ kind: 'settled' })
  const reversal = { kind: 'failed', errorCode: 'card_declined' } as const
  const at = (context.api.clock.now() + 60_000) as never
  await report(sessionId, { ...reversal, at })
  const { wallet } = context.merchant
  const body = { receiptId: id, wallet, status: 'checkout_success' }
  expect((await context.asOwner('POST', '/api/receipts/status', body)).status).toBe(200)
  const before = await reported(id)
  await report(sessionId, { ...reversal, at: (at + 60_000) as never })
  await context.run(jobNames.reconcileOnramp)
  expect(await reported(id)).toEqual(before)
  expect(before).toMatchObject({ delivery: null, questions: [] })
})

test.each(['refund', 'checkout_success'])('a %s settles it', async (way) => {
  const { id } = await paidByCard({ kind: 'accepted' })
  await pass(25)
  const { wallet } = context.merchant
  const settled =
    way === 'refund'
      ? await context.asOwner('POST', '/api/receipts/refund', {
          receiptId: id,
          wallet,
          buyer: wallet,
          usd: 5,
        })
      : await context.asOwner('POST', '/api/receipts/status', { receiptId: id, wallet, status: way })
  expect(settled.status, settled.text).toBe(200)
  await pass(25)
  expect(await reported(id)).toEqual({ ...overdue, delivery: null, questions: [] })
})
