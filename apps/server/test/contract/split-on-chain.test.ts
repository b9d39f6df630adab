import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import { beforeAll, expect } from 'vitest'
import { jobNames } from '../../src/platform/jobs/names.ts'
import { row } from '../support/api/contract.ts'
import { expectError } from '../support/api/expect-errors.ts'
import { newWallet } from '../support/api/sessions.ts'
import { always } from '../support/chain/chain-api.ts'
import { keeperWork } from '../support/chain/keeper.ts'
import { startPayments } from '../support/chain/payments.ts'
import type { SentTransaction } from '../support/chain/test-chain.ts'
import { perFile } from '../support/per-file.ts'

/**
 * A payment: `passedOn` is 25 USDC that the keeper distributed, `waiting` is ETH that is not distributed yet.
 */
type Payment = { readonly attempt: AttemptView; readonly sent: SentTransaction; readonly at: string }

const context = perFile(() => startPayments({ policy: always('seen'), slotsInAnEpoch: 1 }))
let passedOn: Payment
let waiting: Payment
let statuses: string[]

beforeAll(async () => {
  passedOn = await pay('sale-1', 'USDC')
  statuses = [await context.status('sale-1')]
  for (let block = 0; block < 20 && (await context.status('sale-1')) !== 'reconciled'; block++) {
    await context.mine()
    context.api.clock.jumpTo(context.api.clock.now() + 60_000)
    await context.run(...keeperWork)
  }
  statuses.push(await context.status('sale-1'))
  waiting = await pay('sale-2', 'ETH')
  await context.mine(4)
  await context.run(jobNames.scanDistributions)
})

const get = (path: string, key = context.merchant.key) => context.api.call('GET', path, { key })
const transactions = async (query = '') => (await get(`/api/split/transactions${query}`)).body
const each = async (field: string) =>
  (await transactions()).map((transaction: Record<string, unknown>) => transaction[field])
const shows = async (field: string, values: unknown[]) => expect(await each(field)).toEqual(values)

async function pay(id: string, token: 'USDC' | 'ETH'): Promise<Payment> {
  await context.syncClock()
  await context.newReceipt(id, 25)
  const attempt = await context.attempt(id, token)
  const sent = await context.pay(attempt, 'call')
  await context.mine()
  const { timestamp } = await context.chain.client.getBlock()
  await context.scan()
  return { attempt, sent, at: new Date(Number(timestamp) * 1000).toISOString() }
}

row('state.reconciled', 'follows the distribution of the payment', async () => {
  expect(statuses).toEqual(['paid', 'reconciled'])
  expect((await get('/api/receipts/sale-1')).body.status).toBe('reconciled')
  const reported = (await context.messages('sale-1')).map(({ body }) => [body.previousStatus, body.status])
  expect(reported).toEqual([
    ['pending', 'paid'],
    ['paid', 'reconciled'],
  ])
})

row('split-transaction.id', 'identifies the payment by its transaction and log', async () => {
  const [eth, usdc] = await each('id')
  expect(eth).toMatch(new RegExp(`^${waiting.sent.hash}-\\d+$`))
  expect(usdc).toMatch(new RegExp(`^${passedOn.sent.hash}-\\d+$`))
})

row('split-transaction.receiptId', 'is the id of the paid receipt', () =>
  shows('receiptId', ['sale-2', 'sale-1']),
)
row('split-transaction.amount', 'is the amount in the token', () =>
  shows('amount', [Number(waiting.attempt.amount) / 1e18, 25]),
)
row('split-transaction.currency', 'is the token symbol', () => shows('currency', ['ETH', 'USDC']))
row('split-transaction.status', 'is pending until the payment is distributed', () =>
  shows('status', ['pending', 'distributed']),
)
row('split-transaction.timestamp', 'is the block time in ISO 8601 format', () =>
  shows('timestamp', [waiting.at, passedOn.at]),
)
row('split-transaction.transactionHash', 'is the transaction hash of the payment', () =>
  shows('transactionHash', [waiting.sent.hash, passedOn.sent.hash]),
)

row('split-transaction.fees', "is the platform's share", async () => {
  const [eth, usdc] = await each('fees')
  expect(usdc).toBe(0.125)
  expect(eth).toBeCloseTo(Number(waiting.attempt.amount) / 1e18 / 200, 15)
})

row('get-split-transactions.answer', "returns an array of the merchant's payments", async () => {
  const response = await get('/api/split/transactions')
  expect([response.status, Array.isArray(response.body), response.body.length]).toEqual([200, true, 2])
  const { key } = await context.api.addMerchant()
  expect((await get('/api/split/transactions', key)).body).toEqual([])
})

row('get-split-transactions.address', 'filters by split or recipient', async () => {
  const { split } = (await get('/api/split/deploy')).body
  for (const address of [split.address, split.address.toLowerCase(), context.merchant.wallet])
    expect(await transactions(`?address=${address}`), address).toHaveLength(2)
  expect(await transactions(`?address=${newWallet().wallet}`)).toEqual([])
  expectError(await get('/api/split/transactions?address=0x12'), 400, 'invalid_input')
})
