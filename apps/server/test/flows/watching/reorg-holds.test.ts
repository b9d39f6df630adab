import { erc20Abi, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { logInAs, type TestSession } from '../../support/asking/log-in.ts'
import { newWallet } from '../../support/asking/new-wallet.ts'
import type { SentTransaction } from '../../support/chain/test-chain.ts'
import { type SettlingWorld, settlingWork, startSettlingWorld } from '../../support/worlds/settling-world.ts'

/** A receipt part of whose money a reorg takes back, beside others of the same merchant and split. */
let world: SettlingWorld
let owner: TestSession
let count = 0
beforeAll(async () => {
  world = await startSettlingWorld()
})
afterAll(() => world?.stop())
beforeEach(async () => {
  await world.syncClock()
  owner = await logInAs(world.api, world.merchant.wallet, 'owner')
})

const detail = (id: string) => world.detail(id)
const statusOf = async (id: string) => (await detail(id)).status
const held = (deposit: string) =>
  world.chain.client.readContract({
    address: world.tokenAddress('USDC'),
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [deposit as Hex],
  })

/** The watcher and the keeper, block by block, until something has come about. */
async function drive(isDone: () => Promise<boolean>, blockCount = 20) {
  for (let block = 0; block < blockCount; block++) {
    await world.scan()
    await world.run(...settlingWork)
    if (await isDone()) return true
    await world.mine()
    world.api.clock.jumpTo(world.api.clock.now() + 60_000)
  }
  return false
}

async function opened(usd: number, token: 'ETH' | 'USDC') {
  const id = `held-${++count}`
  await world.newReceipt(id, usd)
  return { id, attempt: await world.attempt(id, token) }
}

/** Four dollars at its deposit address, six more whose block is gone; and two others' whole money. */
async function reversed() {
  const [coin, same] = [await opened(10, 'ETH'), await opened(10, 'USDC')]
  const { id, attempt } = await opened(10, 'USDC')
  await world.pay(coin.attempt, 'call')
  await world.pay(same.attempt, 'transfer')
  await world.pay(attempt, 'transfer', 4_000_000n)
  await world.mine()
  await world.scan()
  const lost = await world.pay(attempt, 'transfer', 6_000_000n)
  await world.mine()
  await world.scan()
  expect(await statusOf(id)).toBe('paid')
  await world.chain.reorg(1)
  await world.scan()
  expect(await detail(id)).toMatchObject({ status: 'paid', payment: { state: 'orphaned', received: 4 } })
  return { id, attempt, lost, others: [coin.id, same.id] }
}

const areReconciled = (ids: readonly string[]) => async () =>
  (await Promise.all(ids.map(statusOf))).every((status) => status === 'reconciled')
const isSwept = (deposit: string) => async () => (await held(deposit)) === 0n

async function resend({ raw }: SentTransaction) {
  await world.chain.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => {})
}

test('one reversed payment holds its own receipt alone: other tokens and receipts of the split go on', async () => {
  const { id, attempt, lost, others } = await reversed()
  expect(await drive(areReconciled(others))).toBe(true)
  expect(await statusOf(id)).toBe('paid')
  expect(await held(attempt.depositAddress)).toBe(4_000_000n)
  await resend(lost)
  expect(await drive(areReconciled([id]))).toBe(true)
  expect(await held(attempt.depositAddress)).toBe(0n)
})

test('other money settles it: the receipt is reconciled with all of it through', async () => {
  const { id, attempt } = await reversed()
  await world.send({ to: world.buyer.address, value: 1n })
  await world.pay(attempt, 'transfer', 6_000_000n)
  expect(await drive(areReconciled([id]))).toBe(true)
  expect(await detail(id)).toMatchObject({ payment: { state: 'paid', received: 10, excess: 0 } })
  expect(await held(attempt.depositAddress)).toBe(0n)
})

test('a full refund settles it: what is left at its deposit address goes its way', async () => {
  const { id, attempt } = await reversed()
  const body = { receiptId: id, wallet: world.merchant.wallet, buyer: newWallet().wallet, usd: 10 }
  const answer = await world.api.call('POST', '/api/receipts/refund', { body, session: owner })
  expect(answer.status).toBe(200)
  expect(await statusOf(id)).toBe('refunded')
  expect(await drive(isSwept(attempt.depositAddress))).toBe(true)
  expect(await statusOf(id)).toBe('refunded')
})

test('checkout_success settles it by an admin’s word: it stays paid, and no later money is counted', async () => {
  const { id, attempt, lost } = await reversed()
  const body = {
    receiptId: id,
    wallet: world.merchant.wallet,
    status: 'checkout_success',
    reason: 'paid in cash',
  }
  const answer = await world.api.call('POST', '/api/receipts/status', { body, session: owner })
  expect([answer.status, answer.body.ok]).toEqual([200, true])
  const after = await detail(id)
  expect(after).toMatchObject({ status: 'paid', payment: { state: 'short', received: 4 } })
  expect(after.timeline.at(-1)).toMatchObject({
    kind: 'loss_accepted',
    detail: { by: owner.wallet, why: 'paid in cash', transactions: [lost.hash] },
  })
  await world.send({ to: world.buyer.address, value: 1n })
  const later = await world.pay(attempt, 'transfer', 6_000_000n)
  expect(await drive(isSwept(attempt.depositAddress))).toBe(true)
  expect(await drive(areReconciled([id]), 6)).toBe(false)
  expect(await statusOf(id)).toBe('paid')
  const inbox = await world.api.call('GET', '/api/payments/unmatched', { session: owner })
  expect(inbox.body.payments).toMatchObject([
    { transactionHash: later.hash, receiptId: id, amountRaw: '6000000' },
  ])
})

test('what was taken for lost and stands again counts as before', async () => {
  const { id, lost } = await reversed()
  const body = { receiptId: id, wallet: world.merchant.wallet, status: 'checkout_success' }
  expect((await world.api.call('POST', '/api/receipts/status', { body, session: owner })).status).toBe(200)
  await resend(lost)
  await world.mine()
  await world.scan()
  expect(await detail(id)).toMatchObject({
    transactionHash: lost.hash,
    payment: { state: 'paid', received: 10 },
  })
  expect(await drive(areReconciled([id]))).toBe(true)
})

test('after all this every base unit is in exactly one place, and every status has its cause', async () => {
  expect(await world.findMisplaced()).toEqual([])
})
