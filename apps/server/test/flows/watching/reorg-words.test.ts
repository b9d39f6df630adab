import type { Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { newPace } from '../../../src/payments/indexer/pace.ts'
import { scanTransfers } from '../../../src/payments/indexer/scan-transfers.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { distributeData } from '../../support/chain/calls.ts'
import { startSettlement } from '../../support/chain/settlement.ts'
import { perFile } from '../../support/per-file.ts'

/** One confirmation is enough, so that each reorg reverts a counted payment. */
const context = perFile(startSettlement)
beforeEach(() => {
  context.logged.length = 0
})

const blockHash = async () => (await context.chain.client.getBlock()).hash
const newAttempt = (id: string, token: 'ETH' | 'USDC') => context.open(id, 25, token)

test.each([
  'ETH',
  'USDC',
] as const)('%s that the next block includes again is no news, twice', async (token) => {
  const id = `again-${token}`
  const sent = await context.payAndScan(await newAttempt(id, token), 'transfer')
  const messages = await context.messages(id)
  expect(messages.map(({ body }) => body.status)).toEqual(['paid'])
  for (let turn = 0; turn < 2; turn++) {
    await context.reorg(1, [{ raw: sent.raw, offset: 0 }])
    expect(await context.messages(id)).toEqual(messages)
    expect(await context.detail(id)).toMatchObject({
      status: 'paid',
      payment: { state: 'paid' },
      transactionHash: sent.hash,
      transactionTimestamp: Number((await context.chain.client.getBlock()).timestamp) * 1000,
    })
  }
  expect(context.alerts()).toEqual([])
})

test('nor is one that stands deeper in the new blocks, while the watcher goes slowly', async () => {
  const id = 'slowly'
  const sent = await context.pay(await newAttempt(id, 'USDC'), 'transfer')
  await context.mineAndScan(4)
  await context.chain.reorg(4, [{ raw: sent.raw, offset: 3 }])
  const pace = newPace()
  pace.blockCount = 1n
  while ((await scanTransfers(context.needs, pace)) === 'again');
  expect((await context.messages(id)).map(({ body }) => body.paymentState)).toEqual(['paid'])
  expect((await context.detail(id)).transactionHash).toBe(sent.hash)
})

test.each([
  'ETH',
  'USDC',
] as const)('%s lost and back, over and over: each is told, true, under a key of its own', async (token) => {
  const id = `lost-${token}`
  const sent = await context.payAndScan(await newAttempt(id, token), 'transfer')
  const base = `receipt-status:${id}:paid`
  const expected = [{ key: `${base}:${sent.hash}`, hash: sent.hash as Hex | null, state: 'paid' }]
  for (let turn = 0; turn < 2; turn++) {
    const lost = await blockHash()
    await context.reorg(1)
    expected.push({ key: `${base}:${sent.hash}:orphaned:${lost}`, hash: null, state: 'orphaned' })
    const isLost = { status: 'paid', transactionHash: null, payment: { state: 'orphaned' } }
    expect(await context.detail(id)).toMatchObject(isLost)
    await context.resend(sent)
    await context.mineAndScan()
    const key = `${base}:${sent.hash}:restored:${await blockHash()}`
    expected.push({ key, hash: sent.hash, state: 'paid' })
    expect(await context.detail(id)).toMatchObject({ transactionHash: sent.hash, payment: { state: 'paid' } })
  }
  const messages = await context.messages(id)
  const reported = messages.map(({ key, body }) => ({
    key,
    hash: body.transactionHash,
    state: body.paymentState,
  }))
  expect(reported).toEqual(expected)
  expect(new Set(messages.map(({ key }) => key)).size).toBe(messages.length)
  expect(messages.every(({ key, body }) => body.idempotencyKey === key)).toBe(true)
  const sequences = messages.map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => Number(a - b)))
  expect(context.alerts()).toEqual(['payment-orphaned', 'payment-orphaned'])
})

test('paid again by another transaction: receipt, correction and reconciled name the one that stands', async () => {
  const id = 'other-money'
  const attempt = await newAttempt(id, 'USDC')
  const first = await context.payAndScan(attempt, 'transfer')
  expect((await context.detail(id)).transactionHash).toBe(first.hash)
  await context.reorg(1)
  // Reuses the nonce of the orphaned transaction.
  await context.send({ to: context.buyer.address, value: 1n })
  const second = await context.pay(attempt, 'call').catch(() => undefined)
  if (!second) throw new Error('the buyer pays')
  await context.mineAndScan()
  const isPaid = { transactionHash: second.hash, payment: { state: 'paid', excess: 0 } }
  expect(await context.detail(id)).toMatchObject(isPaid)
  const messages = await context.messages(id)
  expect(messages.at(-1)?.body).toMatchObject({ paymentState: 'paid', transactionHash: second.hash })
  expect(messages.at(-1)?.key).toBe(`receipt-status:${id}:paid:${second.hash}:replaced:${await blockHash()}`)

  const data = distributeData(context.tokenAddress('USDC'))
  await context.send({ to: attempt.payTo as Hex, data })
  await context.mineAndScan(4)
  await context.run(jobNames.scanDistributions, jobNames.reconcileReceipts)
  const reconciled = (await context.messages(id)).at(-1)?.body
  const ending = { status: 'reconciled', transactionHash: second.hash, paymentState: 'paid' }
  expect(reconciled).toMatchObject(ending)
})

test('a receipt whose payment is gone is listed until it is paid again or cancelled, for its merchant alone', async () => {
  const { key } = context.merchant
  const reversed = async (of: string) => {
    const { body } = await context.api.call('GET', '/api/payments/questions?limit=1', { key: of })
    return body.receipts.map(({ receiptId }: { receiptId: string }) => receiptId)
  }
  expect(await reversed(key)).toEqual([])
  const sent = await context.payAndScan(await newAttempt('gone-and-back', 'USDC'), 'transfer')
  await context.reorg(1)
  expect(await reversed(key)).toEqual(['gone-and-back'])
  expect(await reversed((await context.api.addMerchant()).key)).toEqual([])
  await context.resend(sent)
  await context.mineAndScan()
  expect(await reversed(key)).toEqual([])
})

test('every change has its message, and every message its own key', async () => {
  expect(await context.findMisplaced()).toEqual([])
})
