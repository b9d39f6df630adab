import { beforeEach, expect, test } from 'vitest'
import { logInAs, newWallet } from '../../support/api/sessions.ts'
import { startSettlement } from '../../support/chain/settlement.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startSettlement)
let count = 0
beforeEach(() => context.syncClock())

const held = (deposit: string) => context.balanceOf(context.tokenAddress('USDC'), deposit)
const isSwept = (deposit: string) => async () => (await held(deposit)) === 0n

async function opened(usd: number, token: 'ETH' | 'USDC') {
  const id = `held-${++count}`
  return { id, attempt: await context.open(id, usd, token) }
}

async function reversed() {
  const [coin, same] = [await opened(10, 'ETH'), await opened(10, 'USDC')]
  const { id, attempt } = await opened(10, 'USDC')
  await context.pay(coin.attempt, 'call')
  await context.pay(same.attempt, 'transfer')
  await context.payAndScan(attempt, 'transfer', 4_000_000n)
  const lost = await context.payAndScan(attempt, 'transfer', 6_000_000n)
  expect(await context.status(id)).toBe('paid')
  await context.reorg(1)
  const partly = { status: 'paid', payment: { state: 'orphaned', received: 4 } }
  expect(await context.detail(id)).toMatchObject(partly)
  return { id, attempt, lost, others: [coin.id, same.id] }
}

test('one reversed payment holds its own receipt alone: other tokens and receipts of the split go on', async () => {
  const { id, attempt, lost, others } = await reversed()
  expect(await context.reconcile(others)).toBe(true)
  expect(await context.status(id)).toBe('paid')
  expect(await held(attempt.depositAddress)).toBe(4_000_000n)
  await context.resend(lost)
  expect(await context.reconcile([id])).toBe(true)
  expect(await held(attempt.depositAddress)).toBe(0n)
})

test('other money settles it: the receipt is reconciled with all of it through', async () => {
  const { id, attempt } = await reversed()
  await context.send({ to: context.buyer.address, value: 1n })
  await context.pay(attempt, 'transfer', 6_000_000n)
  expect(await context.reconcile([id])).toBe(true)
  expect(await context.detail(id)).toMatchObject({ payment: { state: 'paid', received: 10, excess: 0 } })
  expect(await held(attempt.depositAddress)).toBe(0n)
})

test('a full refund settles it: what is left at its deposit address goes its way', async () => {
  const { id, attempt } = await reversed()
  const body = { receiptId: id, wallet: context.merchant.wallet, buyer: newWallet().wallet, usd: 10 }
  expect((await context.asOwner('POST', '/api/receipts/refund', body)).status).toBe(200)
  expect(await context.status(id)).toBe('refunded')
  expect(await context.drive(isSwept(attempt.depositAddress))).toBe(true)
  expect(await context.status(id)).toBe('refunded')
})

test('checkout_success settles it by an admin’s word: it stays paid, and no later money is counted', async () => {
  const { id, attempt, lost } = await reversed()
  const { wallet } = context.merchant
  const body = { receiptId: id, wallet, status: 'checkout_success', reason: 'paid in cash' }
  const session = await logInAs(context.api, wallet, 'owner')
  const response = await context.api.call('POST', '/api/receipts/status', { body, session })
  expect([response.status, response.body.ok]).toEqual([200, true])
  const after = await context.detail(id)
  expect(after).toMatchObject({ status: 'paid', payment: { state: 'short', received: 4 } })
  const detail = { by: session.wallet, why: 'paid in cash', transactions: [lost.hash] }
  expect(after.timeline.at(-1)).toMatchObject({ kind: 'loss_accepted', detail })
  await context.send({ to: context.buyer.address, value: 1n })
  const later = await context.pay(attempt, 'transfer', 6_000_000n)
  expect(await context.drive(isSwept(attempt.depositAddress))).toBe(true)
  expect(await context.reconcile([id], 6)).toBe(false)
  expect(await context.status(id)).toBe('paid')
  const inbox = await context.asOwner('GET', '/api/payments/unmatched')
  const found = { transactionHash: later.hash, receiptId: id, amountRaw: '6000000' }
  expect(inbox.body.payments).toMatchObject([found])
})

test('what was taken for lost and stands again counts as before', async () => {
  const { id, lost } = await reversed()
  const body = { receiptId: id, wallet: context.merchant.wallet, status: 'checkout_success' }
  expect((await context.asOwner('POST', '/api/receipts/status', body)).status).toBe(200)
  await context.resend(lost)
  await context.mineAndScan()
  const isPaid = { transactionHash: lost.hash, payment: { state: 'paid', received: 10 } }
  expect(await context.detail(id)).toMatchObject(isPaid)
  expect(await context.reconcile([id])).toBe(true)
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  expect(await context.findMisplaced()).toEqual([])
})
