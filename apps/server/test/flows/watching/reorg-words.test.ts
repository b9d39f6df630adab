import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newPace } from '../../../src/payments/indexer/pace.ts'
import { scanTransfers } from '../../../src/payments/indexer/scan-transfers.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { SentTransaction } from '../../support/chain/test-chain.ts'
import { type SettlingWorld, startSettlingWorld } from '../../support/worlds/settling-world.ts'

/** One confirmation is enough, so that each reorg takes back what had counted. */
let world: SettlingWorld
beforeAll(async () => {
  world = await startSettlingWorld()
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.logged.length = 0
})

const detail = (id: string) => world.detail(id)
const blockHash = async () => (await world.chain.client.getBlock()).hash
const again = ({ raw }: SentTransaction) =>
  world.chain.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => {})
const alerts = () => world.logged.flatMap(({ alert }) => (alert === undefined ? [] : [alert]))
async function look(blockCount = 1) {
  await world.mine(blockCount)
  await world.scan()
}
async function newAttempt(id: string, token: 'ETH' | 'USDC') {
  await world.newReceipt(id, 25)
  return world.attempt(id, token)
}

test.each([
  'ETH',
  'USDC',
] as const)('%s that the next block includes again is no news, twice', async (token) => {
  const id = `again-${token}`
  const sent = await world.pay(await newAttempt(id, token), 'transfer')
  await look()
  const notices = await world.notices(id)
  expect(notices.map(({ body }) => body.status)).toEqual(['paid'])
  for (let turn = 0; turn < 2; turn++) {
    await world.chain.reorg(1, [{ raw: sent.raw, offset: 0 }])
    await world.scan()
    expect(await world.notices(id)).toEqual(notices)
    expect(await detail(id)).toMatchObject({
      status: 'paid',
      payment: { state: 'paid' },
      transactionHash: sent.hash,
      transactionTimestamp: Number((await world.chain.client.getBlock()).timestamp) * 1000,
    })
  }
  expect(alerts()).toEqual([])
})

test('nor is one that stands deeper in the new blocks, while the watcher goes slowly', async () => {
  const id = 'slowly'
  const sent = await world.pay(await newAttempt(id, 'USDC'), 'transfer')
  await look(4)
  await world.chain.reorg(4, [{ raw: sent.raw, offset: 3 }])
  const pace = newPace()
  pace.blockCount = 1n
  while ((await scanTransfers(world.needs, pace)) === 'again');
  expect((await world.notices(id)).map(({ body }) => body.paymentState)).toEqual(['paid'])
  expect((await detail(id)).transactionHash).toBe(sent.hash)
})

test.each([
  'ETH',
  'USDC',
] as const)('%s lost and back, over and over: each is told, true, under a key of its own', async (token) => {
  const id = `lost-${token}`
  const sent = await world.pay(await newAttempt(id, token), 'transfer')
  await look()
  const base = `receipt-status:${id}:paid`
  const expected = [{ key: `${base}:${sent.hash}`, hash: sent.hash as Hex | null, state: 'paid' }]
  for (let turn = 0; turn < 2; turn++) {
    const lost = await blockHash()
    await world.chain.reorg(1)
    await world.scan()
    expected.push({ key: `${base}:${sent.hash}:orphaned:${lost}`, hash: null, state: 'orphaned' })
    expect(await detail(id)).toMatchObject({
      status: 'paid',
      transactionHash: null,
      payment: { state: 'orphaned' },
    })
    await again(sent)
    await look()
    expected.push({
      key: `${base}:${sent.hash}:restored:${await blockHash()}`,
      hash: sent.hash,
      state: 'paid',
    })
    expect(await detail(id)).toMatchObject({ transactionHash: sent.hash, payment: { state: 'paid' } })
  }
  const notices = await world.notices(id)
  expect(
    notices.map(({ key, body }) => ({ key, hash: body.transactionHash, state: body.paymentState })),
  ).toEqual(expected)
  expect(new Set(notices.map(({ key }) => key)).size).toBe(notices.length)
  expect(notices.every(({ key, body }) => body.idempotencyKey === key)).toBe(true)
  const sequences = notices.map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => Number(a - b)))
  expect(alerts()).toEqual(['payment-orphaned', 'payment-orphaned'])
})

test('paid again by another transaction: receipt, correction and reconciled name the one that stands', async () => {
  const id = 'other-money'
  const attempt = await newAttempt(id, 'USDC')
  const first = await world.pay(attempt, 'transfer')
  await look()
  expect((await detail(id)).transactionHash).toBe(first.hash)
  await world.chain.reorg(1)
  await world.scan()
  // Another transaction under the nonce of the one that is gone.
  await world.send({ to: world.buyer.address, value: 1n })
  const second = await world.pay(attempt, 'call').catch(() => undefined)
  if (!second) throw new Error('the buyer pays')
  await look()
  expect(await detail(id)).toMatchObject({
    transactionHash: second.hash,
    payment: { state: 'paid', excess: 0 },
  })
  const notices = await world.notices(id)
  expect(notices.at(-1)?.body).toMatchObject({ paymentState: 'paid', transactionHash: second.hash })
  expect(notices.at(-1)?.key).toBe(`receipt-status:${id}:paid:${second.hash}:replaced:${await blockHash()}`)

  const args = [world.tokenAddress('USDC')] as const
  const data = encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args })
  await world.send({ to: attempt.payTo as Hex, data, gas: 1_000_000n })
  await look(4)
  await world.run(jobNames.scanDistributions, jobNames.reconcileReceipts)
  const reconciled = (await world.notices(id)).at(-1)?.body
  expect(reconciled).toMatchObject({
    status: 'reconciled',
    transactionHash: second.hash,
    paymentState: 'paid',
  })
})

test('every change has its notice, and every notice its own key', async () => {
  expect(await world.findMisplaced()).toEqual([])
})
