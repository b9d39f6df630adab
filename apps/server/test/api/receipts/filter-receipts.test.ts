import { receiptStatuses } from '@sluice/protocol/receipt-status.ts'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { followPages } from '../../support/api/call-api.ts'
import { paidFacts, startMerchantApi } from '../../support/api/merchant-api.ts'
import { perFile } from '../../support/per-file.ts'
import {
  countStatuses,
  filterMirror,
  type ListParameters,
  type MirroredReceipt,
  summarizeMirror,
} from './receipt-mirror.ts'

const context = perFile(startMerchantApi)
const mirror: MirroredReceipt[] = []
const hashOf = (i: number) => `0x${(i % 7).toString(16).repeat(6)}${i.toString(16).padStart(58, '0')}`

const addPayment = (merchant: string, hash: string, id: string) => ({
  name: 'add-test-payment',
  text: `INSERT INTO payment (merchant, chain, tx_hash, log_index, address, receipt_id, attempt_id, kind, token,
      token_address, amount, rate_e8, is_late, block_number, block_hash, block_at, state, seen_at)
    VALUES ($1, $2, $3, 0, '0x', $4, 'a', 'call', 'USDC', '0x', 1, 1, false, 1, '0x', 1, 'credited', 1)`,
  values: [merchant, context.needs.chain.id, hash, id],
})

beforeAll(async () => {
  // Another merchant's receipts match every filter, and must never appear.
  const other = await context.addMerchant()
  for (let i = 0; i < 60; i++) {
    await context.clock.advance(i % 5 === 0 ? 0 : 250_000 * (i % 7))
    const currency = i % 4 === 0 ? 'EUR' : 'USD'
    const amount = ((i * 37) % 50) + 1 + (i % 3 === 0 ? 0.5 : 0)
    const extra = {
      ...(i % 3 === 0 && { billingEmail: `Buyer${i % 9}@Example.com` }),
      ...(i % 5 === 1 && { providerEmail: 'other@example.com' }),
      ...(i % 4 === 1 && { transactionId: `T-${i % 8}` }),
      ...(i % 2 === 0 && { metadata: { order: i % 6, source: i % 4 ? 'web' : 'till', 'a%': { deep: 'x' } } }),
    }
    const id = i % 10 === 0 ? `inv_%${i}` : `inv-${i}`
    const body = { id, currency, lineItems: [{ label: 'Tea', amount }], ...extra }
    expect((await context.post('/api/receipts', body)).status).toBe(201)
    expect((await context.post('/api/receipts', body, { key: other.key })).status).toBe(201)
    const hashes = i % 6 === 0 ? [hashOf(i)] : []
    for (const wallet of [context.merchant.wallet, other.wallet])
      for (const hash of hashes) await context.database.pool.run(addPayment(wallet, hash, id))
    if (i % 4 === 2) await context.move(id, 'payment_verified', { paid: paidFacts })
    const { receiptId, status, totalUsd, total, createdAt } = await context.detail(id)
    const { billingEmail, providerEmail, ...rest } = extra as Record<string, never>
    const emails = [billingEmail, providerEmail].filter((each) => each !== undefined)
    mirror.push({ receiptId, status, currency, totalUsd, total, createdAt, hashes, emails, ...rest })
  }
})

const queryOf = (parameters: object) => new URLSearchParams(Object.entries(parameters)).toString()

async function list(parameters: ListParameters, limit = 7): Promise<string[]> {
  const pages = await followPages(async (more) => {
    const response = await context.get(`/api/receipts?${queryOf({ ...parameters, limit })}${more}`)
    expect(response.status, response.text).toBe(200)
    return response
  })
  return pages.flatMap(({ receipts }) => receipts).map(({ receiptId }) => receiptId)
}

async function summarize(parameters: object, key?: string) {
  const response = await context.get(`/api/receipts/summary?${queryOf(parameters)}`, key ? { key } : {})
  expect(response.status, response.text).toBe(200)
  return response.body
}

const idsOf = (found: readonly MirroredReceipt[]) => found.map(({ receiptId }) => receiptId)

/** Compares a list and its summary with results computed in memory. */
async function holdToMirror(parameters: ListParameters): Promise<void> {
  const expected = filterMirror(mirror, parameters)
  expect(await list(parameters), queryOf(parameters)).toEqual(idsOf(expected))
  const { sort: _, ...filter } = parameters
  const { status: __, ...others } = filter
  const summary = await summarize(filter)
  expect(summary, queryOf(filter)).toMatchObject(summarizeMirror(expected))
  expect(summary.byStatus).toEqual(countStatuses(filterMirror(mirror, others)))
  expect(summary.countedFrom).toBeNull()
}

const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
const moment = () => fc.option(fc.nat({ max: 59 }), { nil: undefined })
const amount = () =>
  fc.option(
    fc.nat({ max: 110 }).map((half) => String(half / 2)),
    { nil: undefined },
  )
const texts = [
  'inv-1',
  'inv_',
  'inv-33',
  'buyer3@EXAMPLE.com',
  'other@example.com',
  'T-1',
  '4',
  'web',
  'nothing',
]
const statuses = fc.option(
  fc.subarray([...receiptStatuses], { minLength: 1 }).map((each) => each.join(',')),
  { nil: undefined },
)

describe('a list of receipts', () => {
  test('finds under every filter, alone and combined, what memory finds, and sums it up alike', async () => {
    const filters = fc.record({
      status: statuses,
      from: moment(),
      to: moment(),
      q: some(...texts, '0x000000', '111111', `0x${'6'.repeat(6)}`),
      currency: some('USD', 'EUR'),
      min: amount(),
      max: amount(),
      sort: some('-createdAt', 'createdAt', '-amount', 'amount'),
    })
    await fc.assert(
      fc.asyncProperty(filters, async ({ from, to, min, max, ...rest }) => {
        const [begin, end] = [from, to].map((at) => (at === undefined ? undefined : mirror[at]?.createdAt))
        const isRange = begin === undefined || end === undefined || begin < end
        const isSpan = min === undefined || max === undefined || Number(min) <= Number(max)
        const asked = {
          ...rest,
          from: begin,
          to: isRange ? end : undefined,
          min,
          max: isSpan ? max : undefined,
        }
        const sent = Object.entries(asked).filter(([, value]) => value !== undefined)
        await holdToMirror(Object.fromEntries(sent.map(([name, value]) => [name, String(value)])))
      }),
      { numRuns: 60 },
    )
  })

  test.each<ListParameters>([
    {},
    { status: 'paid' },
    { status: 'paid,pending' },
    { currency: 'EUR' },
    { min: '10' },
    { max: '10.5' },
    { currency: 'EUR', min: '5', max: '20' },
    { sort: 'createdAt' },
    { sort: '-amount' },
    { sort: 'amount', status: 'pending', currency: 'USD' },
    ...texts.map((q) => ({ q })),
    { q: hashOf(12) },
    { q: hashOf(12).slice(0, 10) },
    { q: hashOf(12).slice(2, 8).toUpperCase() },
  ])('%j lists and counts exactly what it says', (parameters) => holdToMirror(parameters))
})
