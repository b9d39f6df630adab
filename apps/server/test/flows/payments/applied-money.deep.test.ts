import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { depositAddress } from '../../../src/payments/attempts/references.ts'
import { sweepData } from '../../../src/payments/sweeping/read-sweepable.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { findSplitVersion } from '../../../src/split/find-split.ts'
import { keptOf } from '../../../src/split/ledger/ledger.ts'
import { findLedger } from '../../../src/split/ledger/store.ts'
import { entitlement } from '../../../src/split/split.ts'
import { scriptedRates } from '../../support/api/scripted-rates.ts'
import { approveData } from '../../support/chain/calls.ts'
import { payData } from '../../support/chain/chain-api.ts'
import { startSettlement } from '../../support/chain/settlement.ts'
import { perFile } from '../../support/per-file.ts'

const rates = scriptedRates({ ETH: 2_500, USDC: 1, USDT: 1 }, () => context.api.clock.now())
const context = perFile(() => startSettlement({ rates: [rates] }))
beforeEach(() => context.syncClock())

let count = 0
async function apply(hash: Hex, receiptId: string) {
  const [found] = await context.cases(hash)
  const body = { action: 'apply', receiptId }
  const response = await context.asOwner('POST', `/api/payments/unmatched/${found?.id}`, body)
  expect([response.status, response.text]).toEqual([200, expect.any(String)])
}
async function opened(usd: number, token: TokenSymbol = 'USDC') {
  const id = `applied-${++count}`
  return { id, attempt: await context.open(id, usd, token) }
}

async function callWith(token: 'ETH' | 'USDT', attempt: { payTo: string; reference: string }, units: bigint) {
  const [to, reference] = [attempt.payTo as Hex, attempt.reference as Hex]
  if (token === 'ETH') return context.send({ to, data: payData(reference), value: units })
  await context.send({ to: context.tokenAddress(token), data: approveData(to) })
  return context.send({ to, data: payData(reference, { token: context.tokenAddress(token), amount: units }) })
}

describe('a call in another token', () => {
  const units = { USDT: 9_000_000n, ETH: 3_600_000_000_000_000n }
  test.each([
    'USDT',
    'ETH',
  ] as const)('%s, applied to its receipt, is distributed and reconciles it', async (token) => {
    const { id, attempt } = await opened(9)
    const { hash } = await callWith(token, attempt, units[token])
    await context.mineAndScan(3)
    expect(await context.cases(hash)).toMatchObject([{ reason: 'wrong-token', receiptId: id, token }])
    await apply(hash, id)
    const isPaid = { status: 'paid', transactionHash: hash, payment: { token, missing: 0 } }
    expect(await context.detail(id)).toMatchObject(isPaid)
    expect(await context.reconcile([id])).toBe(true)
    expect(await context.detail(id)).toMatchObject({
      payment: { token, receivedRaw: units[token].toString() },
    })
  })

  test('applied to another receipt reconciles that one, and leaves its own as it was', async () => {
    const [own, other] = [await opened(9), await opened(9)]
    const { hash } = await callWith('USDT', own.attempt, 9_000_000n)
    await context.mineAndScan(3)
    await apply(hash, other.id)
    expect(await context.reconcile([other.id])).toBe(true)
    expect((await context.detail(own.id)).status).toBe('pending')
    await context.pay(own.attempt, 'call')
    expect(await context.reconcile([own.id])).toBe(true)
  })
})

test('another token at a deposit address, applied to another receipt, reconciles that one', async () => {
  const [own, other] = [await opened(7), await opened(7)]
  const deposit = own.attempt.depositAddress as Hex
  const { hash } = await context.transfer(context.tokenAddress('USDT'), deposit, 7_000_000n)
  await context.mineAndScan(3)
  await apply(hash, other.id)
  expect(await context.reconcile([other.id])).toBe(true)
  expect(await context.detail(other.id)).toMatchObject({ payment: { token: 'USDT', received: 7 } })
})

test('a surplus applied elsewhere reconciles both receipts', async () => {
  const [own, other] = [await opened(10), await opened(10)]
  await context.payAndScan(own.attempt, 'transfer')
  const { hash } = await context.pay(own.attempt, 'transfer', 10_000_000n)
  await context.mineAndScan(3)
  await apply(hash, other.id)
  expect(await context.reconcile([own.id, other.id])).toBe(true)
})

test('a receipt is reconciled with its own money, not with what came to its address and was applied elsewhere', async () => {
  const [own, other] = [await opened(25, 'ETH'), await opened(25, 'ETH')]
  await context.passTime(3_600, 4)
  await context.scan()
  rates.usd.ETH = undefined
  await context.api.clock.advance(120_000)
  const { hash } = await context.pay(own.attempt, 'transfer')
  expect(await context.reconcile([own.id], 6)).toBe(false)
  await context.syncClock()
  expect(await context.cases(hash)).toMatchObject([{ reason: 'no-rate', receiptId: own.id }])
  rates.usd.ETH = 2_500
  await context.api.clock.advance(120_000)
  await context.syncClock()
  await apply(hash, other.id)
  expect(await context.reconcile([other.id])).toBe(true)

  await context.pay(own.attempt, 'transfer', BigInt(own.attempt.amount))
  await context.mineAndScan(3)
  expect((await context.detail(own.id)).status).toBe('paid')
  for (let round = 0; round < 3; round++) {
    await context.mine(2)
    context.api.clock.jumpTo(context.api.clock.now() + 90_000_000)
    await context.run(jobNames.scanDistributions, jobNames.reconcileReceipts)
  }
  expect((await context.detail(own.id)).status).toBe('paid')
  expect(await context.reconcile([own.id])).toBe(true)
})

test('paid by an admin’s word it stays paid, whatever part of it came on the chain and went out', async () => {
  await context.syncClock()
  const { id, attempt } = await opened(10)
  await context.payAndScan(attempt, 'transfer', 4_000_000n)
  const body = { receiptId: id, wallet: context.merchant.wallet, status: 'checkout_success', reason: 'cash' }
  expect((await context.asOwner('POST', '/api/receipts/status', body)).status).toBe(200)
  const later = await context.pay(attempt, 'transfer', 6_000_000n)
  expect(await context.reconcile([id], 10)).toBe(false)
  expect((await context.detail(id)).status).toBe('paid')
  const found = { reason: 'receipt-settled', receiptId: id, amountRaw: '6000000' }
  expect(await context.cases(later.hash)).toMatchObject([found])
})

test('every recipient got its exact part of all this, to the base unit', async () => {
  await context.drive(async () => false, 8)
  const split = await findSplitVersion(context.needs.db, context.merchant.wallet, 1n)
  if (!split) throw new Error('the merchant has a split')
  for (const symbol of ['ETH', 'USDC', 'USDT'] as const) {
    const token = context.tokenAddress(symbol)
    const key = { merchant: context.merchant.wallet, chain: 31337, split: split.address, token }
    const ledger = await findLedger(context.needs.db, key)
    const text = `SELECT coalesce(sum(amount), 0) AS sum FROM split_arrival
      WHERE merchant = $1 AND token_address = $2 AND orphaned_at IS NULL`
    const [row] = await context.rows<{ sum: bigint }>(text, [context.merchant.wallet, token])
    expect(ledger.received).toBe(row?.sum)
    expect(ledger.received).toBeGreaterThan(0n)
    for (const recipient of split.recipients)
      expect((ledger.released.get(recipient.address) ?? 0n) + keptOf(ledger, recipient.address)).toBe(
        entitlement(ledger.received, recipient),
      )
  }
  expect(await context.findMisplaced({})).toEqual([])
})

test('money that a stranger swept from a deposit address of its own making, applied, reconciles its receipt', async () => {
  const { id, attempt } = await opened(9)
  const [split, reference] = [attempt.payTo as Wallet, `0x${'9'.repeat(64)}` as Hex]
  const token = context.tokenAddress('USDC')
  const { factory } = context.needs.chain
  await context.transfer(token, depositAddress(factory, split, reference), 9_000_000n)
  const { hash } = await context.send({ to: factory, data: sweepData({ split, reference, token }) })
  await context.mineAndScan(8)
  await context.api.run(jobNames.scanDistributions)
  await apply(hash, id)
  expect(await context.reconcile([id])).toBe(true)
})
