import { encodeFunctionData, erc20Abi, type Hex, multicall3Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { logInAs, type TestSession } from '../../support/asking/log-in.ts'
import type { SentTransaction } from '../../support/chain/test-chain.ts'
import { type SettlingWorld, startSettlingWorld } from '../../support/worlds/settling-world.ts'

/** A block is final two blocks later; each of these reorgs goes deeper, or takes back what is not final yet. */
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

const newId = () => `inbox-${++count}`
const decide = (id: string, body: unknown) =>
  world.api.call('POST', `/api/payments/unmatched/${id}`, { body, session: owner })
const detail = (id: string) => world.detail(id)
async function cases(hash: Hex) {
  const answer = await world.api.call('GET', '/api/payments/unmatched?state=all&limit=200', {
    session: owner,
  })
  return answer.body.payments.filter((each: { transactionHash: string }) => each.transactionHash === hash)
}
const book = () => world.run(jobNames.scanDistributions)
async function look() {
  await world.scan()
  await book()
}

/** The ways money comes to nobody's receipt, each sent and not yet mined. */
const ways = {
  'paid twice': async () => {
    const attempt = await paid()
    return world.pay(attempt, 'transfer')
  },
  'another token': async () => {
    const { depositAddress } = await opened()
    return world.transfer(world.tokenAddress('USDT'), depositAddress as Hex, 10_000_000n)
  },
  'straight to the split': async () => {
    const { payTo } = await opened()
    return world.transfer(world.tokenAddress('USDC'), payTo as Hex, 10_000_000n)
  },
}

async function opened() {
  const id = newId()
  await world.newReceipt(id, 10)
  return world.attempt(id, 'USDC')
}

async function paid() {
  const attempt = await opened()
  await world.pay(attempt, 'transfer')
  await world.mine()
  await world.scan()
  return attempt
}

/** Replaces the newest blocks by others in which somebody else's log stands before those of a transaction. */
async function shift(depth: number, { raw, hash }: SentTransaction) {
  const before = await firstLog(hash)
  await world.chain.reorg(depth, [
    { raw: await stranger(), offset: 0 },
    { raw, offset: 0 },
  ])
  expect(await firstLog(hash)).toBe(before + 1)
}

async function firstLog(hash: Hex): Promise<number> {
  const { logs } = await world.chain.client.getTransactionReceipt({ hash })
  return logs[0]?.logIndex ?? -1
}

async function stranger(): Promise<Hex> {
  const key = world.chain.accounts[3]
  if (!key) throw new Error('there are five accounts')
  const { client } = world.chain
  return privateKeyToAccount(key.privateKey).signTransaction({
    chainId: 31337,
    type: 'eip1559',
    nonce: await client.getTransactionCount({ address: key.address }),
    to: world.tokenAddress('USDC'),
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [world.buyer.address, 1n] }),
    gas: 100_000n,
    maxFeePerGas: 200_000_000_000n,
    maxPriorityFeePerGas: 10_000_000_000n,
  })
}

test('nothing is refunded or kept before its block is final, as nothing is applied', async () => {
  const { hash } = await ways['paid twice']()
  await world.mine()
  await look()
  const [young] = await cases(hash)
  for (const body of [
    { action: 'refund' },
    { action: 'keep' },
    { action: 'apply', receiptId: young.receiptId },
  ]) {
    const answer = await decide(young.id, body)
    expect([body.action, answer.status, answer.body.error]).toEqual([body.action, 400, 'invalid_input'])
  }
  expect(await cases(hash)).toMatchObject([{ id: young.id, state: 'open', decision: null }])
  await world.mine(2)
  await look()
  expect((await decide(young.id, { action: 'keep' })).status).toBe(200)
})

test('an open case keeps its number when its log moves within a block that was not final', async () => {
  const sent = await ways['another token']()
  await world.mine()
  await look()
  const [young] = await cases(sent.hash)
  await shift(1, sent)
  await look()
  expect(await cases(sent.hash)).toMatchObject([{ id: young.id, state: 'open' }])
})

describe.each(Object.entries(ways))('money that came %s', (_, send) => {
  const decisions = [
    { action: undefined, state: 'open' },
    { action: 'keep', state: 'kept' },
    { action: 'refund', state: 'refunded' },
    { action: 'apply', state: 'applied' },
  ]
  test.each(decisions)('and is $state stays one case, $state, under another log index', async ({
    action,
    state,
  }) => {
    const sent = await send()
    await world.mine(3)
    await look()
    const [found] = await cases(sent.hash)
    const receiptId = newId()
    await world.newReceipt(receiptId, 10)
    const request = action === 'apply' ? { action, receiptId } : { action }
    if (action) expect((await decide(found.id, request)).status).toBe(200)
    const notices = (await world.notices(receiptId)).length

    await shift(3, sent)
    await look()
    const id = action === 'apply' ? { appliedTo: receiptId } : {}
    expect(await cases(sent.hash)).toMatchObject([
      { id: found.id, state, amountRaw: found.amountRaw, ...(action && { decision: id }) },
    ])
    if (action !== 'apply') return
    // A second look: what the reader of the splits found again is the watcher's to bring to the receipt.
    await world.mine(3)
    await look()
    await look()
    expect(await detail(receiptId)).toMatchObject({
      status: 'paid',
      transactionHash: sent.hash,
      payment: { state: 'paid', receivedRaw: '10000000', excessRaw: '0' },
    })
    const told = (await world.notices(receiptId)).slice(notices)
    expect(told.at(-1)?.body.paymentState ?? 'paid').toBe('paid')
  })
})

test.each([
  'refund',
  'apply',
])('whoever reads the new blocks first, money straight to the split stays one case: %s', async (action) => {
  const sent = await ways['straight to the split']()
  await world.mine(3)
  await look()
  const [found] = await cases(sent.hash)
  const receiptId = newId()
  await world.newReceipt(receiptId, 10)
  const request = action === 'apply' ? { action, receiptId } : { action }
  expect((await decide(found.id, request)).status).toBe(200)
  await shift(3, sent)
  // The reader of the splits comes before the watcher.
  await world.mine(3)
  await book()
  expect(await cases(sent.hash)).toMatchObject([{ id: found.id }])
  await world.scan()
  await look()
  const state = action === 'apply' ? 'applied' : 'refunded'
  expect(await cases(sent.hash)).toMatchObject([{ id: found.id, state }])
  if (action === 'apply')
    expect(await detail(receiptId)).toMatchObject({ status: 'paid', payment: { state: 'paid', excess: 0 } })
})

test('a refunded case whose money is gone for a while is gone, and refunded when the money is back', async () => {
  const sent = await ways['paid twice']()
  await world.mine(3)
  await look()
  const [found] = await cases(sent.hash)
  await decide(found.id, { action: 'refund' })
  await world.chain.reorg(3)
  await look()
  expect(await cases(sent.hash)).toEqual([])
  await world.chain.client.sendRawTransaction({ serializedTransaction: await stranger() })
  await world.chain.client.sendRawTransaction({ serializedTransaction: sent.raw }).catch(() => {})
  await world.mine()
  await look()
  expect(await cases(sent.hash)).toMatchObject([{ id: found.id, state: 'refunded' }])
})

test('of two equal logs of one transaction one pays and one is refunded, before a reorg and after it', async () => {
  const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
  const attempt = await opened()
  const usdc = world.tokenAddress('USDC')
  const approve = [multicall3, 2n ** 255n] as const
  await world.send({
    to: usdc,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: approve }),
  })
  const args = [world.buyer.address, attempt.depositAddress as Hex, 10_000_000n] as const
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args })
  const call = { target: usdc, allowFailure: false, callData }
  await world.mine()
  const sent = await world.send({
    to: multicall3,
    data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [[call, call]] }),
  })
  await world.mine(3)
  await look()
  const [surplus, ...others] = await cases(sent.hash)
  expect(others).toEqual([])
  expect((await decide(surplus.id, { action: 'refund' })).status).toBe(200)
  const places = async () => {
    const text = `SELECT state, log_index FROM payment WHERE merchant = $1 AND tx_hash = $2 ORDER BY log_index`
    const values = [world.merchant.wallet, sent.hash]
    const rows = await world.needs.db.rows<{ state: string; log_index: bigint }>({ name: '', text }, values)
    return rows.map((row) => [row.state, Number(row.log_index)])
  }
  const before = await places()
  expect(before.map(([state]) => state)).toEqual(['credited', 'unmatched'])
  await shift(3, sent)
  await look()
  expect(await places()).toEqual(before.map(([state, index]) => [state, Number(index) + 1]))
  expect(await cases(sent.hash)).toMatchObject([{ id: surplus.id, state: 'refunded' }])
})

test('after all this every base unit is in exactly one place', async () => {
  expect(await world.findMisplaced()).toEqual([])
})
