import { nativeAddress } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { distributeData, releaseData, sweepData } from '../../support/chain/calls.ts'
import { resetCounts } from '../../support/chain/endpoints.ts'
import { perCase } from '../../support/per-file.ts'
import { startHidingPayments } from './watched-payments.ts'

const context = perCase(startHidingPayments)
beforeEach(async () => {
  await readOn()
  context.endpoint.far.isFar = true
})

async function readOn() {
  await context.mineAndScan(8)
  await context.run(jobNames.scanDistributions, jobNames.compareChain)
}

const payments = (id: string) =>
  context.rows(
    `SELECT state, amount, is_late, tx_hash FROM payment WHERE receipt_id = '${id}' ORDER BY tx_hash`,
  )
const cases = () =>
  context.rows(`SELECT reason, amount FROM unmatched_payment WHERE state = 'open' ORDER BY amount`)
const differences = async () => (await auditChain(context.needs.db, context.chain)).differences

test.each([
  ['once', 'USDC', 'transfer'],
  ['once', 'USDC', 'call'],
  ['once', 'ETH', 'call'],
  ['for ever', 'USDC', 'transfer'],
  ['for ever', 'USDC', 'call'],
  ['for ever', 'ETH', 'call'],
] as const)('a payment whose log the endpoint leaves out %s (%s by %s) is credited in the end, once, and its receipt paid', async (times, token, way) => {
  const attempt = await context.open('hidden', 20, token)
  const { hash } = await context.pay(attempt, way)
  await context.mine()
  context.hide([hash], times)
  await context.scan()
  expect(context.endpoint.hiddenCount).toBeGreaterThan(0)
  expect(await context.status('hidden')).toBe('pending')
  await readOn()
  expect(await context.status('hidden')).toBe('paid')
  const credited = { state: 'credited', amount: BigInt(attempt.amount), is_late: false, tx_hash: hash }
  expect(await payments('hidden')).toMatchObject([credited])
  expect(await differences()).toEqual([])
  expect(context.alerts()).toContain('log-left-out')
  await readOn()
  expect(await payments('hidden')).toHaveLength(1)
  expect((await context.messages('hidden')).map(({ body }) => body.status)).toEqual(['paid'])
})

test('found after its quote ended, it is late only if its block was', async () => {
  const sent: string[] = []
  for (const id of ['in-time', 'late']) {
    const attempt = await context.open(id, 20, 'USDC')
    if (id === 'late') await context.passTime(20 * 60, 1)
    sent.push((await context.pay(attempt, 'transfer')).hash)
    await context.mine()
    context.hide(sent)
    await context.scan()
  }
  await context.syncClock()
  expect(await context.status('in-time')).toBe('pending')
  await readOn()
  expect(await payments('in-time')).toMatchObject([{ state: 'credited', is_late: false }])
  expect(await payments('late')).toMatchObject([{ state: 'credited', is_late: true }])
  expect(await context.status('in-time')).toBe('paid')
  expect(await context.status('late')).toBe('paid')
})

test.each([
  'USDC',
  'ETH',
] as const)('a sweep in %s that the endpoint leaves out for ever is in the books of its split, under its receipt', async (token) => {
  const attempt = await context.open('swept', 20, token)
  await context.payAndScan(attempt, 'transfer')
  const data = sweepData(attempt.payTo, attempt.reference, context.tokenAddress(token))
  const { hash } = await context.send({ to: context.chain.contracts.factory, data })
  context.hide([hash])
  await readOn()
  const query = 'SELECT kind, amount, receipt_id, tx_hash FROM split_arrival WHERE orphaned_at IS NULL'
  const amount = BigInt(attempt.amount)
  expect(await context.rows(query)).toEqual([{ kind: 'sweep', amount, receipt_id: 'swept', tx_hash: hash }])
  const [moved] = await context.rows<{ sum: bigint | null }>('SELECT sum(amount) AS sum FROM deposit_coin')
  expect(moved?.sum).toBe(token === 'ETH' ? 0n : null)
  expect(await differences()).toEqual([])
})

/** Transfers ETH by `SELFDESTRUCT`, which runs no code of the recipient. */
async function force(to: Hex, value: bigint): Promise<Hex> {
  const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
  const salt = '00'.repeat(31) + (value % 256n).toString(16).padStart(2, '0')
  const { hash } = await context.send({ to: deployer, data: `0x${salt}73${to.slice(2)}ff`, value })
  return hash
}

async function splitAddress(): Promise<Hex> {
  const [row] = await context.rows<{ address: Hex }>('SELECT address FROM split_address')
  if (!row) throw new Error('the merchant has a split')
  return row.address
}

test('coin and tokens that reach a split under no reference, also by force, are a case each', async () => {
  const split = await splitAddress()
  await force(split, 1_000n)
  await context.mine()
  await context.send({ to: split, value: 2_000n })
  await context.transfer(context.tokenAddress('USDC'), split, 3_000n)
  await context.mine()
  await force(split, 4_001n)
  await readOn()
  const expected = [1_000n, 2_000n, 3_000n, 4_001n].map((amount) => ({ reason: 'direct', amount }))
  expect(await cases()).toEqual(expected)
  await readOn()
  expect(await cases()).toEqual(expected)
  expect(await differences()).toEqual([])
})

test('coin forced upon a split is a case too when it was distributed before anybody looked', async () => {
  const split = await splitAddress()
  await force(split, 1_000n)
  await context.pay(await context.open('paid', 20, 'ETH'), 'call')
  await context.mine()
  await context.send({ to: split, data: distributeData(nativeAddress) })
  await readOn()
  expect(await cases()).toEqual([{ reason: 'direct', amount: 1_000n }])
  expect(await differences()).toEqual([])
  expect(await context.rows('SELECT received - level AS left FROM split_ledger')).toEqual([{ left: 0n }])
})

test('a call left out and distributed before anybody looked is its receipt’s, and no case', async () => {
  const { hash } = await context.pay(await context.open('gone', 20, 'ETH'), 'call')
  await context.mine()
  context.hide([hash])
  await context.send({ to: await splitAddress(), data: distributeData(nativeAddress) })
  await readOn()
  expect(await context.status('gone')).toBe('paid')
  expect(await cases()).toEqual([])
  expect(await differences()).toEqual([])
})

test.each([
  ['a distribution', 'USDC'],
  ['a distribution', 'ETH'],
  ['a release to each payee', 'USDC'],
  ['a release to each payee', 'ETH'],
] as const)('%s in %s whose log the endpoint leaves out for ever is found, and its receipt reconciled', async (how, token) => {
  await context.pay(await context.open('sent-out', 20, token), 'call')
  await context.mine()
  const sent = await sendOut(await splitAddress(), how, token)
  context.hide(sent)
  await readOn()
  await context.syncClock()
  await context.run(jobNames.reconcileReceipts)
  expect(context.endpoint.hiddenCount).toBeGreaterThan(0)
  expect(await context.status('sent-out')).toBe('reconciled')
  expect(await differences()).toEqual([])
  expect(context.alerts()).toContain('log-left-out')
})

test('at rest it asks the chain for nothing but its head, and few calls where a block came', async () => {
  for (let i = 0; i < 5; i++) await context.open(`open-${i}`, 20, 'USDC')
  await readOn()
  const { counts } = context.endpoint.far
  resetCounts(counts)
  await context.run(jobNames.compareChain)
  expect(counts.calls).toEqual(new Map())
  await context.mineAndScan(8)
  await context.run(jobNames.scanDistributions)
  resetCounts(counts)
  await context.run(jobNames.compareChain)
  const asked = [...counts.calls.values()].reduce((sum, each) => sum + each, 0)
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThan(20)
})

test('a payment that cannot be booked keeps no other of its block, and is booked when it can be', async () => {
  const sent: string[] = []
  for (const id of ['stuck', 'good'])
    sent.push((await context.pay(await context.open(id, 20, 'USDC'), 'transfer')).hash)
  await context.mine()
  context.hide(sent)
  await context.scan()
  await context.rows(`ALTER TABLE payment ADD CONSTRAINT poison CHECK (receipt_id <> 'stuck')`)
  await readOn()
  expect(await context.status('good')).toBe('paid')
  expect(await context.status('stuck')).toBe('pending')
  expect(context.alerts()).toContain('item-deferred')
  await context.rows('ALTER TABLE payment DROP CONSTRAINT poison')
  await context.passTime(60, 1)
  await readOn()
  expect(await context.status('stuck')).toBe('paid')
})

async function sendOut(split: Hex, how: 'a distribution' | 'a release to each payee', token: 'USDC' | 'ETH') {
  const coin = context.tokenAddress(token)
  const payees = await context.rows<{ address: Hex }>(
    `SELECT payee->>'address' AS address FROM split, jsonb_array_elements(recipients) AS payee`,
  )
  const calls =
    how === 'a distribution'
      ? [distributeData(coin)]
      : payees.map(({ address }) => releaseData(address, token === 'ETH' ? undefined : coin))
  const sent: string[] = []
  for (const data of calls) sent.push((await context.send({ to: split, data })).hash)
  return sent
}
