import type { Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { newPace } from '../../../src/payments/indexer/pace.ts'
import { scanTransfers } from '../../../src/payments/indexer/scan-transfers.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { distributeData } from '../../support/chain/calls.ts'
import { startSettlement } from '../../support/chain/settlement.ts'
import { perFile } from '../../support/per-file.ts'

/** One confirmation is enough, so that each reorg takes back what had counted. */
const world = perFile(startSettlement)
beforeEach(() => {
  world.logged.length = 0
})

const blockHash = async () => (await world.chain.client.getBlock()).hash
const newAttempt = (id: string, token: 'ETH' | 'USDC') => world.open(id, 25, token)

test.each([
  'ETH',
  'USDC',
] as const)('%s that the next block includes again is no news, twice', async (token) => {
  const id = `again-${token}`
  const sent = await world.payAndScan(await newAttempt(id, token), 'transfer')
  const notices = await world.notices(id)
  expect(notices.map(({ body }) => body.status)).toEqual(['paid'])
  for (let turn = 0; turn < 2; turn++) {
    await world.reorg(1, [{ raw: sent.raw, offset: 0 }])
    expect(await world.notices(id)).toEqual(notices)
    expect(await world.detail(id)).toMatchObject({
      status: 'paid',
      payment: { state: 'paid' },
      transactionHash: sent.hash,
      transactionTimestamp: Number((await world.chain.client.getBlock()).timestamp) * 1000,
    })
  }
  expect(world.alerts()).toEqual([])
})

test('nor is one that stands deeper in the new blocks, while the watcher goes slowly', async () => {
  const id = 'slowly'
  const sent = await world.pay(await newAttempt(id, 'USDC'), 'transfer')
  await world.mineAndScan(4)
  await world.chain.reorg(4, [{ raw: sent.raw, offset: 3 }])
  const pace = newPace()
  pace.blockCount = 1n
  while ((await scanTransfers(world.needs, pace)) === 'again');
  expect((await world.notices(id)).map(({ body }) => body.paymentState)).toEqual(['paid'])
  expect((await world.detail(id)).transactionHash).toBe(sent.hash)
})

test.each([
  'ETH',
  'USDC',
] as const)('%s lost and back, over and over: each is told, true, under a key of its own', async (token) => {
  const id = `lost-${token}`
  const sent = await world.payAndScan(await newAttempt(id, token), 'transfer')
  const base = `receipt-status:${id}:paid`
  const expected = [{ key: `${base}:${sent.hash}`, hash: sent.hash as Hex | null, state: 'paid' }]
  for (let turn = 0; turn < 2; turn++) {
    const lost = await blockHash()
    await world.reorg(1)
    expected.push({ key: `${base}:${sent.hash}:orphaned:${lost}`, hash: null, state: 'orphaned' })
    const isLost = { status: 'paid', transactionHash: null, payment: { state: 'orphaned' } }
    expect(await world.detail(id)).toMatchObject(isLost)
    await world.resend(sent)
    await world.mineAndScan()
    const key = `${base}:${sent.hash}:restored:${await blockHash()}`
    expected.push({ key, hash: sent.hash, state: 'paid' })
    expect(await world.detail(id)).toMatchObject({ transactionHash: sent.hash, payment: { state: 'paid' } })
  }
  const notices = await world.notices(id)
  const told = notices.map(({ key, body }) => ({ key, hash: body.transactionHash, state: body.paymentState }))
  expect(told).toEqual(expected)
  expect(new Set(notices.map(({ key }) => key)).size).toBe(notices.length)
  expect(notices.every(({ key, body }) => body.idempotencyKey === key)).toBe(true)
  const sequences = notices.map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => Number(a - b)))
  expect(world.alerts()).toEqual(['payment-orphaned', 'payment-orphaned'])
})

test('paid again by another transaction: receipt, correction and reconciled name the one that stands', async () => {
  const id = 'other-money'
  const attempt = await newAttempt(id, 'USDC')
  const first = await world.payAndScan(attempt, 'transfer')
  expect((await world.detail(id)).transactionHash).toBe(first.hash)
  await world.reorg(1)
  // Another transaction under the nonce of the one that is gone.
  await world.send({ to: world.buyer.address, value: 1n })
  const second = await world.pay(attempt, 'call').catch(() => undefined)
  if (!second) throw new Error('the buyer pays')
  await world.mineAndScan()
  const isPaid = { transactionHash: second.hash, payment: { state: 'paid', excess: 0 } }
  expect(await world.detail(id)).toMatchObject(isPaid)
  const notices = await world.notices(id)
  expect(notices.at(-1)?.body).toMatchObject({ paymentState: 'paid', transactionHash: second.hash })
  expect(notices.at(-1)?.key).toBe(`receipt-status:${id}:paid:${second.hash}:replaced:${await blockHash()}`)

  const data = distributeData(world.tokenAddress('USDC'))
  await world.send({ to: attempt.payTo as Hex, data })
  await world.mineAndScan(4)
  await world.run(jobNames.scanDistributions, jobNames.reconcileReceipts)
  const reconciled = (await world.notices(id)).at(-1)?.body
  const ending = { status: 'reconciled', transactionHash: second.hash, paymentState: 'paid' }
  expect(reconciled).toMatchObject(ending)
})

test('a receipt whose payment is gone is listed until it is paid again or cancelled, for its merchant alone', async () => {
  const { key } = world.merchant
  const reversed = async (of: string) => {
    const { body } = await world.api.call('GET', '/api/payments/questions?limit=1', { key: of })
    return body.receipts.map(({ receiptId }: { receiptId: string }) => receiptId)
  }
  expect(await reversed(key)).toEqual([])
  const sent = await world.payAndScan(await newAttempt('gone-and-back', 'USDC'), 'transfer')
  await world.reorg(1)
  expect(await reversed(key)).toEqual(['gone-and-back'])
  expect(await reversed((await world.api.addMerchant()).key)).toEqual([])
  await world.resend(sent)
  await world.mineAndScan()
  expect(await reversed(key)).toEqual([])
})

test('every change has its notice, and every notice its own key', async () => {
  expect(await world.findMisplaced()).toEqual([])
})
