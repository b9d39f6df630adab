import { merchantSplitAbi } from '@sluice/contracts/abi/MerchantSplit.ts'
import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { auditChain } from '../../support/chain/audit-chain.ts'
import { resetTally } from '../../support/chain/far-chain.ts'
import { type HidingEndpoint, makeHidingEndpoint } from '../../support/chain/hide-logs.ts'
import { sendOut } from '../../support/chain/send-out.ts'
import { always } from '../../support/worlds/chain-api.ts'
import { type PaymentWorld, startPaymentWorld } from '../../support/worlds/payment-world.ts'

let world: PaymentWorld
let endpoint: HidingEndpoint
afterEach(() => {
  endpoint.far.isFar = false
  return world?.stop()
})

async function start(options: Parameters<typeof startPaymentWorld>[0] = {}) {
  endpoint = makeHidingEndpoint()
  world = await startPaymentWorld({ policy: always('seen'), ...options, outbound: endpoint.outbound })
  await readOn()
  endpoint.far.isFar = true
}

/** Reads the chain to its end, all of it final, as the jobs of a service do, and holds the books against it. */
async function readOn() {
  await world.mine(8)
  await world.scan()
  await world.run(jobNames.scanDistributions)
  await world.run(jobNames.compareChain)
}

const payments = (id: string) =>
  world.needs.db.rows<{ state: string; amount: bigint; is_late: boolean; tx_hash: string }>(
    {
      name: 'test-list-payments',
      text: 'SELECT state, amount, is_late, tx_hash FROM payment WHERE receipt_id = $1 ORDER BY tx_hash',
    },
    [id],
  )
const cases = () =>
  world.needs.db.rows<{ reason: string; amount: bigint }>({
    name: 'test-list-cases',
    text: `SELECT reason, amount FROM unmatched_payment WHERE state = 'open' ORDER BY amount`,
  })
const differences = async () => (await auditChain(world.needs.db, world.chain)).differences

test.each([
  ['once', 'USDC', 'transfer'],
  ['once', 'USDC', 'call'],
  ['once', 'ETH', 'call'],
  ['for ever', 'USDC', 'transfer'],
  ['for ever', 'USDC', 'call'],
  ['for ever', 'ETH', 'call'],
] as const)('a payment whose log the endpoint leaves out %s (%s by %s) is credited in the end, once, and its receipt paid', async (times, token, way) => {
  await start()
  await world.newReceipt('hidden', 20)
  const attempt = await world.attempt('hidden', token)
  const { hash } = await world.pay(attempt, way)
  await world.mine()
  endpoint.hide(({ transactionHash }) => transactionHash === hash, times)
  await world.scan()
  expect(endpoint.hiddenCount).toBeGreaterThan(0)
  expect(await world.status('hidden')).toBe('pending')
  await readOn()
  expect(await world.status('hidden')).toBe('paid')
  expect(await payments('hidden')).toMatchObject([
    { state: 'credited', amount: BigInt(attempt.amount), is_late: false, tx_hash: hash },
  ])
  expect(await differences()).toEqual([])
  expect(world.logged.map(({ alert }) => alert)).toContain('log-left-out')
  await readOn()
  expect(await payments('hidden')).toHaveLength(1)
  expect((await world.notices('hidden')).map(({ body }) => body.status)).toEqual(['paid'])
})

test('found after its quote ended, it is late only if its block was', async () => {
  await start()
  const sent: string[] = []
  for (const id of ['in-time', 'late']) {
    await world.newReceipt(id, 20)
    const attempt = await world.attempt(id, 'USDC')
    if (id === 'late') {
      await world.chain.client.increaseTime({ seconds: 20 * 60 })
      await world.mine()
    }
    sent.push((await world.pay(attempt, 'transfer')).hash)
    await world.mine()
    endpoint.hide(({ transactionHash }) => sent.includes(transactionHash), 'for ever')
    await world.scan()
  }
  await world.syncClock()
  expect(await world.status('in-time')).toBe('pending')
  await readOn()
  expect(await payments('in-time')).toMatchObject([{ state: 'credited', is_late: false }])
  expect(await payments('late')).toMatchObject([{ state: 'credited', is_late: true }])
  expect(await world.status('in-time')).toBe('paid')
  expect(await world.status('late')).toBe('paid')
})

test.each([
  'USDC',
  'ETH',
] as const)('a sweep in %s that the endpoint leaves out for ever is in the books of its split, under its receipt', async (token) => {
  await start()
  await world.newReceipt('swept', 20)
  const attempt = await world.attempt('swept', token)
  await world.pay(attempt, 'transfer')
  await world.mine()
  await world.scan()
  const [target] = await world.needs.db.rows<{ split_address: Hex; reference: Hex }>({
    name: 'test-find-target',
    text: 'SELECT split_address, reference FROM attempt_target',
  })
  if (!target) throw new Error('the attempt has a target')
  const args = [target.split_address, target.reference, world.tokenAddress(token)] as const
  const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'sweep', args })
  const { hash } = await world.send({ to: world.chain.contracts.factory, data })
  endpoint.hide(({ transactionHash }) => transactionHash === hash, 'for ever')
  await readOn()
  const arrivals = await world.needs.db.rows({
    name: 'test-list-arrivals',
    text: 'SELECT kind, amount, receipt_id, tx_hash FROM split_arrival WHERE orphaned_at IS NULL',
  })
  const amount = BigInt(attempt.amount)
  expect(arrivals).toEqual([{ kind: 'sweep', amount, receipt_id: 'swept', tx_hash: hash }])
  const [moved] = await world.needs.db.rows<{ sum: bigint | null }>({
    name: 'test-sum-coin',
    text: 'SELECT sum(amount) AS sum FROM deposit_coin',
  })
  expect(moved?.sum).toBe(token === 'ETH' ? 0n : null)
  expect(await differences()).toEqual([])
})

/** Has a contract that is never more than its own end leave what it was given to somebody. */
async function force(to: Hex, value: bigint): Promise<Hex> {
  const deployer = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
  const salt = '00'.repeat(31) + (value % 256n).toString(16).padStart(2, '0')
  const { hash } = await world.send({ to: deployer, data: `0x${salt}73${to.slice(2)}ff`, value })
  return hash
}

async function splitAddress(): Promise<Hex> {
  const [row] = await world.needs.db.rows<{ address: Hex }>({
    name: 'test-find-split',
    text: 'SELECT address FROM split_address',
  })
  if (!row) throw new Error('the merchant has a split')
  return row.address
}

test('coin and tokens that reach a split under no reference, also by force, are a case each', async () => {
  await start()
  const split = await splitAddress()
  await force(split, 1_000n)
  await world.mine()
  await world.send({ to: split, value: 2_000n })
  const transfer = { abi: erc20Abi, functionName: 'transfer', args: [split, 3_000n] } as const
  await world.send({ to: world.tokenAddress('USDC'), data: encodeFunctionData(transfer) })
  await world.mine()
  await force(split, 4_001n)
  await readOn()
  const expected = [1_000n, 2_000n, 3_000n, 4_001n].map((amount) => ({ reason: 'direct', amount }))
  expect(await cases()).toEqual(expected)
  await readOn()
  expect(await cases()).toEqual(expected)
  expect(await differences()).toEqual([])
})

test('coin forced upon a split is a case too when it was distributed before anybody looked', async () => {
  await start()
  const split = await splitAddress()
  await force(split, 1_000n)
  await world.newReceipt('paid', 20)
  await world.pay(await world.attempt('paid', 'ETH'), 'call')
  await world.mine()
  const args = [world.tokenAddress('ETH')] as const
  await world.send({
    to: split,
    data: encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args }),
  })
  await readOn()
  expect(await cases()).toEqual([{ reason: 'direct', amount: 1_000n }])
  expect(await differences()).toEqual([])
  const ledgers = await world.needs.db.rows<{ received: bigint; level: bigint }>({
    name: 'test-list-ledgers',
    text: 'SELECT received, level FROM split_ledger',
  })
  expect(ledgers.map(({ received, level }) => received - level)).toEqual([0n])
})

test('a call left out and distributed before anybody looked is its receipt’s, and no case', async () => {
  await start()
  await world.newReceipt('gone', 20)
  const { hash } = await world.pay(await world.attempt('gone', 'ETH'), 'call')
  await world.mine()
  endpoint.hide(({ transactionHash }) => transactionHash === hash, 'for ever')
  const args = [world.tokenAddress('ETH')] as const
  await world.send({
    to: await splitAddress(),
    data: encodeFunctionData({ abi: merchantSplitAbi, functionName: 'distribute', args }),
  })
  await readOn()
  expect(await world.status('gone')).toBe('paid')
  expect(await cases()).toEqual([])
  expect(await differences()).toEqual([])
})

test.each([
  ['a distribution', 'USDC'],
  ['a distribution', 'ETH'],
  ['a release to each payee', 'USDC'],
  ['a release to each payee', 'ETH'],
] as const)('%s in %s whose log the endpoint leaves out for ever is found, and its receipt reconciled', async (how, token) => {
  await start()
  await world.newReceipt('sent-out', 20)
  await world.pay(await world.attempt('sent-out', token), 'call')
  await world.mine()
  const sent = await sendOut(world, await splitAddress(), how, token)
  endpoint.hide(({ transactionHash }) => sent.includes(transactionHash), 'for ever')
  await readOn()
  await world.syncClock()
  await world.run(jobNames.reconcileReceipts)
  expect(endpoint.hiddenCount).toBeGreaterThan(0)
  expect(await world.status('sent-out')).toBe('reconciled')
  expect(await differences()).toEqual([])
  expect(world.logged.map(({ alert }) => alert)).toContain('log-left-out')
})

test('at rest it asks the chain for nothing but its head, and few calls where a block came', async () => {
  await start()
  for (let i = 0; i < 5; i++) {
    await world.newReceipt(`open-${i}`, 20)
    await world.attempt(`open-${i}`, 'USDC')
  }
  await readOn()
  const { tally } = endpoint.far
  resetTally(tally)
  await world.run(jobNames.compareChain)
  expect(tally.calls).toEqual(new Map())
  await world.mine(8)
  await world.scan()
  await world.run(jobNames.scanDistributions)
  resetTally(tally)
  await world.run(jobNames.compareChain)
  const asked = [...tally.calls.values()].reduce((sum, each) => sum + each, 0)
  expect(asked).toBeGreaterThan(0)
  expect(asked).toBeLessThan(20)
})

test('a payment that cannot be booked keeps no other of its block, and is booked when it can be', async () => {
  await start()
  const sent: string[] = []
  for (const id of ['stuck', 'good']) {
    await world.newReceipt(id, 20)
    sent.push((await world.pay(await world.attempt(id, 'USDC'), 'transfer')).hash)
  }
  await world.mine()
  endpoint.hide(({ transactionHash }) => sent.includes(transactionHash), 'for ever')
  await world.scan()
  const poison = {
    name: 'test-poison',
    text: `ALTER TABLE payment ADD CONSTRAINT poison CHECK (receipt_id <> 'stuck')`,
  }
  await world.needs.db.run(poison)
  await readOn()
  expect(await world.status('good')).toBe('paid')
  expect(await world.status('stuck')).toBe('pending')
  expect(world.logged.map(({ alert }) => alert)).toContain('item-set-aside')
  await world.needs.db.run({ name: 'test-cure', text: 'ALTER TABLE payment DROP CONSTRAINT poison' })
  // What is set aside is tried again after a while.
  await world.chain.client.increaseTime({ seconds: 60 })
  await world.mine()
  await world.syncClock()
  await readOn()
  expect(await world.status('stuck')).toBe('paid')
})
