import type { UnixMs } from '@sluice/protocol/time.ts'
import { nativeAddress, parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Hex } from '../../src/chain/chain.ts'
import { localContracts } from '../../src/local/deploy-contracts.ts'
import { recordDistribution } from '../../src/split/record-distribution.ts'
import type { Split } from '../../src/split/split.ts'
import type { SplitEvent } from '../../src/split/split-event.ts'
import {
  type ContractWorld,
  contractPlatform,
  refusalOf,
  startContractWorld,
} from '../support/contract-world.ts'
import { newWallet } from '../support/log-in.ts'
import { expectKeyRefusals } from '../support/refusals.ts'
import { row } from '../support/row.ts'

let world: ContractWorld
let split: Split

beforeAll(async () => {
  world = await startContractWorld()
  split = await world.addSplit(world.merchant.wallet)
  await book(localContracts().tokens.USDC, [
    arrival(1, 25_000_001n),
    { kind: 'distributed', total: 25_000_001n, place: place(2) },
  ])
  await book(nativeAddress, [arrival(3, 10n ** 18n)])
})
afterAll(() => world?.stop())

const transactions = async (query = '') => (await world.get(`/api/split/transactions${query}`)).body
/** The field of the transactions, newest first: 1 ETH that waits, then 25.000001 USDC that went on. */
const each = async (field: string) =>
  (await transactions()).map((transaction: Record<string, unknown>) => transaction[field])

row('split.address', "is the contract's, checksummed, and null without a split", async () => {
  const { address } = (await world.get('/api/split/deploy')).body.split
  expect(address).toBe(split.address)
  expect(parseWallet(address)).toBe(address)
  const { key } = await world.addMerchant()
  expect((await world.get('/api/split/deploy', { key })).body.split.address).toBeNull()
})

row('split.recipients', 'are wallets with shares that come to 10000, none without a split', async () => {
  expect((await world.get('/api/split/deploy')).body.split.recipients).toEqual([
    { address: world.merchant.wallet, sharesBps: 9950 },
    { address: contractPlatform.recipient, sharesBps: 50 },
  ])
  const { key } = await world.addMerchant()
  expect((await world.get('/api/split/deploy', { key })).body.split.recipients).toEqual([])
})

row('split-transaction.id', 'names the payment: its transaction and the log in it', async () => {
  expect(await each('id')).toEqual([`${hash(3)}-0`, `${hash(1)}-0`])
})

row('split-transaction.receiptId', 'is the receipt that was paid', async () => {
  expect(await each('receiptId')).toEqual(['receipt-3', 'receipt-1'])
})

row('split-transaction.amount', 'is the amount in the token', async () => {
  expect(await each('amount')).toEqual([1, 25.000001])
})

row('split-transaction.currency', "is the token's symbol", async () => {
  expect(await each('currency')).toEqual(['ETH', 'USDC'])
})

row('split-transaction.status', 'is pending until it is distributed', async () => {
  expect(await each('status')).toEqual(['pending', 'distributed'])
})

row('split-transaction.timestamp', "is the block's time as ISO 8601", async () => {
  expect(await each('timestamp')).toEqual(['2026-01-15T12:00:03.000Z', '2026-01-15T12:00:01.000Z'])
})

row('split-transaction.transactionHash', 'is the hash of the payment', async () => {
  expect(await each('transactionHash')).toEqual([hash(3), hash(1)])
})

row('split-transaction.fees', "is the platform's part", async () => {
  expect(await each('fees')).toEqual([0.005, 0.125])
})

row('get-split-deploy.answer', 'is the split, for a key and for a session', async () => {
  for (const options of [{}, { key: undefined, session: world.owner }]) {
    const answer = await world.get('/api/split/deploy', options)
    expect(answer.status).toBe(200)
    expect(answer.body.split).toMatchObject({ address: split.address, version: 1, deployed: true })
  }
})

row('get-split-deploy.unconfigured', 'is 200 with no address and no recipients', async () => {
  const { key } = await world.addMerchant()
  const answer = await world.get('/api/split/deploy', { key })
  expect(answer.status).toBe(200)
  expect(answer.body.split).toMatchObject({ address: null, recipients: [] })
})

row('get-split-deploy.refusals', 'are 401, 403, 429 and 500, each with its code', async () => {
  await expectKeyRefusals(world, { method: 'GET', path: '/api/split/deploy', table: 'split' }, 'split:read')
})

row('get-split-transactions.answer', "is an array of the merchant's payments", async () => {
  const answer = await world.get('/api/split/transactions')
  expect([answer.status, Array.isArray(answer.body), answer.body.length]).toEqual([200, true, 2])
  const { key } = await world.addMerchant()
  expect((await world.get('/api/split/transactions', { key })).body).toEqual([])
})

row('get-split-transactions.address', 'keeps those of a split or a recipient', async () => {
  for (const address of [split.address, split.address.toLowerCase(), world.merchant.wallet])
    expect(await transactions(`?address=${address}`), address).toHaveLength(2)
  expect(await transactions(`?address=${newWallet().wallet}`)).toEqual([])
  expect(refusalOf(await world.get('/api/split/transactions?address=0x12'))).toEqual([400, 'invalid_input'])
})

row('get-split-transactions.refusals', 'are 401, 403, 429 and 500, each with its code', async () => {
  const endpoint = { method: 'GET', path: '/api/split/transactions', table: 'split' }
  await expectKeyRefusals(world, endpoint, 'split:read')
})

row('post-split-withdraw.410', 'says that it is deprecated, and what to do instead', async () => {
  for (const options of [{}, { key: undefined, session: world.owner }]) {
    const answer = await world.post('/api/split/withdraw', {}, options)
    expect(answer.status).toBe(410)
    expect(answer.body).toEqual({
      error: 'deprecated',
      reason: 'use_connected_wallet',
      message: expect.stringContaining('release'),
    })
  }
  expect(refusalOf(await world.call('POST', '/api/split/withdraw', { body: {} }))).toEqual([
    401,
    'unauthorized',
  ])
})

function hash(block: number): Hex {
  return `0x${block.toString(16).padStart(64, '0')}`
}

function place(block: number) {
  const at = (Date.UTC(2026, 0, 15, 12) + block * 1_000) as UnixMs
  return { blockNumber: BigInt(block), blockHash: hash(block), at, transactionHash: hash(block), logIndex: 0 }
}

function arrival(block: number, amount: bigint): SplitEvent {
  return {
    kind: 'arrived',
    how: 'call',
    amount,
    reference: hash(block),
    deposit: undefined,
    place: place(block),
  }
}

/** What the watcher of distributions writes down. */
async function book(token: Wallet, events: SplitEvent[]): Promise<void> {
  const receipts = new Map([1, 3].map((block) => [hash(block), `receipt-${block}`] as const))
  await world.needs.db.transaction((tx) => recordDistribution(tx, split, token, events, receipts))
}
