import type { UnmatchedPayment } from '@sluice/protocol/api/receipts/refunds.ts'
import type { RateE8 } from '@sluice/protocol/money.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import type { RateCode } from '../../../src/pricing/rates/rate.ts'
import { findSplitVersion } from '../../../src/split/find-split.ts'
import { keptOf } from '../../../src/split/ledger/ledger.ts'
import { findLedger } from '../../../src/split/ledger/store.ts'
import { entitlement } from '../../../src/split/parts.ts'
import { logInAs, type TestSession } from '../../support/asking/log-in.ts'
import { payData } from '../../support/worlds/chain-api.ts'
import { findBroken } from '../../support/worlds/check-invariants.ts'
import { type SettlingWorld, settlingWork, startSettlingWorld } from '../../support/worlds/settling-world.ts'

let world: SettlingWorld
let owner: TestSession
let count = 0
let etherPrice: bigint | undefined = 2_500n
beforeAll(async () => {
  const codes = ['ETH', 'USDC', 'USDT'] as const
  const read = async (asked: readonly RateCode[]) =>
    asked.map((code) => {
      const price = code === 'ETH' ? etherPrice : 1n
      if (price === undefined) return { code, source: 'scripted', fault: 'down' }
      const usdPerUnit = (price * 100_000_000n) as RateE8
      return { code, source: 'scripted', usdPerUnit, quotedAt: world.api.clock.now() }
    })
  world = await startSettlingWorld({ rates: [{ name: 'scripted', codes: [...codes], read }] })
})
afterAll(() => world?.stop())
beforeEach(logIn)

async function logIn() {
  await world.syncClock()
  owner = await logInAs(world.api, world.merchant.wallet, 'owner')
}

const detail = (id: string) => world.detail(id)
async function found(hash: Hex): Promise<UnmatchedPayment> {
  const path = '/api/payments/unmatched?state=all&limit=200'
  const { body } = await world.api.call('GET', path, { session: owner })
  return body.payments.find((each: UnmatchedPayment) => each.transactionHash === hash)
}
async function apply(hash: Hex, receiptId: string) {
  const { id } = await found(hash)
  const body = { action: 'apply', receiptId }
  const answer = await world.api.call('POST', `/api/payments/unmatched/${id}`, { body, session: owner })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
}
async function opened(usd: number, token: TokenSymbol = 'USDC') {
  const id = `applied-${++count}`
  await world.newReceipt(id, usd)
  return { id, attempt: await world.attempt(id, token) }
}

/** Mines and lets watcher and keeper work until the receipts are all reconciled; `false` where they never are. */
async function drive(ids: readonly string[], blockCount = 18): Promise<boolean> {
  for (let block = 0; block < blockCount; block++) {
    await work()
    const statuses = await Promise.all(ids.map(async (id) => (await detail(id)).status))
    if (statuses.every((status) => status === 'reconciled')) return true
    await goOn()
  }
  return false
}

async function work(): Promise<void> {
  await world.scan()
  await world.run(...settlingWork)
}

async function goOn(): Promise<void> {
  await world.mine()
  world.api.clock.jumpTo(world.api.clock.now() + 60_000)
}

async function approve(token: TokenSymbol, spender: string) {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [spender as Hex, maxUint256],
  })
  await world.send({ to: world.tokenAddress(token), data })
}

async function transfer(token: TokenSymbol, to: string, units: bigint) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, units] })
  return world.send({ to: world.tokenAddress(token), data })
}

/** A call that carries a receipt's reference and brings another token than it asks for. */
async function callWith(token: 'ETH' | 'USDT', attempt: { payTo: string; reference: string }, units: bigint) {
  const [to, reference] = [attempt.payTo as Hex, attempt.reference as Hex]
  if (token === 'ETH') return world.send({ to, data: payData(reference), value: units })
  await approve(token, to)
  return world.send({ to, data: payData(reference, { token: world.tokenAddress(token), amount: units }) })
}

describe('a call in another token', () => {
  const units = { USDT: 9_000_000n, ETH: 3_600_000_000_000_000n }
  test.each([
    'USDT',
    'ETH',
  ] as const)('%s, applied to its receipt, is distributed and reconciles it', async (token) => {
    const { id, attempt } = await opened(9)
    const { hash } = await callWith(token, attempt, units[token])
    await world.mine(3)
    await world.scan()
    expect(await found(hash)).toMatchObject({ reason: 'wrong-token', receiptId: id, token })
    await apply(hash, id)
    expect(await detail(id)).toMatchObject({
      status: 'paid',
      transactionHash: hash,
      payment: { token, missing: 0 },
    })
    expect(await drive([id])).toBe(true)
    expect(await detail(id)).toMatchObject({ payment: { token, receivedRaw: units[token].toString() } })
  })

  test('applied to another receipt reconciles that one, and leaves its own as it was', async () => {
    const [own, other] = [await opened(9), await opened(9)]
    const { hash } = await callWith('USDT', own.attempt, 9_000_000n)
    await world.mine(3)
    await world.scan()
    await apply(hash, other.id)
    expect(await drive([other.id])).toBe(true)
    expect((await detail(own.id)).status).toBe('pending')
    await world.pay(own.attempt, 'call')
    expect(await drive([own.id])).toBe(true)
  })
})

test('another token at a deposit address, applied to another receipt, reconciles that one', async () => {
  const [own, other] = [await opened(7), await opened(7)]
  const { hash } = await transfer('USDT', own.attempt.depositAddress, 7_000_000n)
  await world.mine(3)
  await world.scan()
  await apply(hash, other.id)
  expect(await drive([other.id])).toBe(true)
  expect(await detail(other.id)).toMatchObject({ payment: { token: 'USDT', received: 7 } })
})

test('a surplus applied elsewhere reconciles both receipts', async () => {
  const [own, other] = [await opened(10), await opened(10)]
  await world.pay(own.attempt, 'transfer')
  await world.mine()
  await world.scan()
  const { hash } = await world.pay(own.attempt, 'transfer', 10_000_000n)
  await world.mine(3)
  await world.scan()
  await apply(hash, other.id)
  expect(await drive([own.id, other.id])).toBe(true)
})

test('a receipt is reconciled with its own money, not with what came to its address and was applied elsewhere', async () => {
  const [own, other] = [await opened(25, 'ETH'), await opened(25, 'ETH')]
  await passTime(3_600)
  etherPrice = undefined
  await world.api.clock.advance(120_000)
  const { hash } = await world.pay(own.attempt, 'transfer')
  expect(await drive([own.id], 6)).toBe(false)
  await logIn()
  expect(await found(hash)).toMatchObject({ reason: 'no-rate', receiptId: own.id })
  etherPrice = 2_500n
  await world.api.clock.advance(120_000)
  await logIn()
  await apply(hash, other.id)
  expect(await drive([other.id])).toBe(true)

  await world.pay(own.attempt, 'transfer', BigInt(own.attempt.amount))
  await world.mine(3)
  await world.scan()
  expect((await detail(own.id)).status).toBe('paid')
  for (let round = 0; round < 3; round++) {
    await world.mine(2)
    world.api.clock.jumpTo(world.api.clock.now() + 90_000_000)
    await world.run(jobNames.scanDistributions, jobNames.reconcileReceipts)
  }
  expect((await detail(own.id)).status).toBe('paid')
  expect(await drive([own.id])).toBe(true)
})

test('paid by an admin’s word it stays paid, whatever part of it came on the chain and went out', async () => {
  await logIn()
  const { id, attempt } = await opened(10)
  await world.pay(attempt, 'transfer', 4_000_000n)
  await world.mine()
  await world.scan()
  const body = { receiptId: id, wallet: world.merchant.wallet, status: 'checkout_success', reason: 'cash' }
  expect((await world.api.call('POST', '/api/receipts/status', { body, session: owner })).status).toBe(200)
  const later = await world.pay(attempt, 'transfer', 6_000_000n)
  expect(await drive([id], 10)).toBe(false)
  expect((await detail(id)).status).toBe('paid')
  expect(await found(later.hash)).toMatchObject({
    reason: 'receipt-settled',
    receiptId: id,
    amountRaw: '6000000',
  })
})

test('every recipient got its exact part of all this, to the base unit', async () => {
  for (let block = 0; block < 8; block++) {
    await work()
    await goOn()
  }
  const split = await findSplitVersion(world.needs.db, world.merchant.wallet, 1n)
  if (!split) throw new Error('the merchant has a split')
  for (const symbol of ['ETH', 'USDC', 'USDT'] as const) {
    const token = world.tokenAddress(symbol)
    const key = { merchant: world.merchant.wallet, chain: 31337, split: split.address, token }
    const ledger = await findLedger(world.needs.db, key)
    const text = `SELECT coalesce(sum(amount), 0) AS sum FROM split_arrival
      WHERE merchant = $1 AND token_address = $2 AND orphaned_at IS NULL`
    const row = await world.needs.db.row<{ sum: bigint }>({ name: '', text }, [world.merchant.wallet, token])
    expect(ledger.received).toBe(row?.sum)
    expect(ledger.received).toBeGreaterThan(0n)
    for (const recipient of split.recipients)
      expect((ledger.released.get(recipient.address) ?? 0n) + keptOf(ledger, recipient.address)).toBe(
        entitlement(ledger.received, recipient),
      )
  }
  const broken = await findBroken(world.needs.db, world.chain.rpcUrl)
  expect(broken.filter((each) => !each.startsWith('5-'))).toEqual([])
})

/** Time passes on the chain and for the service, and the chain's blocks of that time become final. */
async function passTime(seconds: number) {
  await world.chain.client.increaseTime({ seconds })
  await world.mine(4)
  await world.syncClock()
  await world.scan()
}
