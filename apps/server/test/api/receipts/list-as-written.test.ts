import { paymentStates } from '@sluice/protocol/api/receipts/receipts.ts'
import { failures } from '@sluice/protocol/failure-catalogue.ts'
import { describeFailure, type FailureCode } from '@sluice/protocol/failures.ts'
import { maxCents } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { receiptStatuses, spellingsOf } from '@sluice/protocol/receipt-status.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Receipt } from '../../../src/receipts/receipt.ts'
import { findReceipt, insertReceipt } from '../../../src/receipts/store.ts'
import { viewListItem } from '../../../src/receipts/viewing/view-receipt.ts'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(() => startApi())
const merchant = perFile(() => api.addMerchant())

/** Texts with all characters that PostgreSQL can store, including characters that JSON escapes. */
const words = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((text) => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, ''))
const cents = fc.oneof(
  fc.bigInt({ min: -maxCents, max: maxCents }),
  fc.bigInt({ min: 0n, max: 20_000n }),
  fc.constantFrom(0n, 1n, 10n, 99n, 100n, maxCents, -1n),
)
/** An earlier version accepted any product of price and quantity, and stored it as a double. */
const anyCents = fc.oneof(
  { weight: 9, arbitrary: cents },
  fc.constantFrom(10n ** 20n, -(10n ** 20n), 2n ** 70n),
)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const qty = maybe(fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.constantFrom(0.5, 1.25, 1e-7, 1e21)))
const at = fc.integer({ min: 1, max: 8_640_000_000_000_000 })

const pricing = fc.record({
  valuation: fc.record({
    version: fc.constant(1 as const),
    currency: fc.constantFrom('USD', 'EUR'),
    usdPerUnit: fc.oneof(fc.constant(100_000_000n), fc.bigInt({ min: 1n, max: 10n ** 14n })),
    quotedAt: at,
    provider: words,
  }),
  originalTotal: cents,
  originalLines: fc.array(fc.record({ label: words, qty, nativeCents: cents }), { maxLength: 4 }),
})

const zero = fc.constant(0n)
const anyPayment = {
  token: fc.constant('USDC'),
  decimals: fc.constant(6),
  due: zero,
  received: zero,
  missing: zero,
  excess: zero,
  others: fc.constant([]),
  creditedCents: zero,
  blockNumber: fc.constant(undefined),
  finality: fc.constant('none' as const),
}

const listed = fc.record({
  totalCents: cents,
  currency: fc.constantFrom('USD', 'EUR'),
  lines: fc.array(
    fc.record({
      label: words,
      qty,
      usdCents: anyCents,
      sentUsdCents: maybe(cents),
      nativeCents: maybe(anyCents),
    }),
    { maxLength: 4 },
  ),
  createdAt: at,
  brandName: words,
  status: fc.constantFrom(...receiptStatuses),
  nativeTotalCents: maybe(cents),
  pricing: maybe(pricing),
  cancelledAt: maybe(at),
  expiresAt: maybe(at),
  refundedCents: fc.constantFrom(0n, 1n),
  failure: maybe(
    fc.constantFrom(...Object.keys(failures)).map((code) => describeFailure(code as FailureCode)),
  ),
  payment: maybe(fc.record({ ...anyPayment, state: fc.constantFrom(...paymentStates) })),
})

const seed = 20_261_122

test('a list shows each receipt as it was stored, whatever it holds', async () => {
  await makeReceipt(api, merchant, receiptBody('pattern'))
  const { pool } = api.database
  const pattern = await findReceipt(pool, merchant.wallet, 'pattern' as ReceiptId)
  const samples = fc.sample(listed, { numRuns: 180, seed })
  const made = samples.map(
    (sample, i) => ({ ...pattern, ...sample, id: `any-${i}` as ReceiptId }) as unknown as Receipt,
  )
  expect(await Promise.all(made.map((each) => insertReceipt(pool, each)))).toEqual(made.map(() => true))
  const asShown = new Map(
    made.map((receipt) => [receipt.id, JSON.parse(JSON.stringify(viewListItem(receipt, api.clock.now())))]),
  )
  const whole = await api.call('GET', '/api/receipts?limit=200', { key: merchant.key })
  expect(whole.status).toBe(200)
  const entries: { receiptId: ReceiptId; createdAt: number }[] = whole.body.receipts
  for (const entry of entries)
    if (entry.receiptId !== 'pattern') expect(entry).toEqual(asShown.get(entry.receiptId))
  expect(entries.map(({ createdAt }) => createdAt)).toEqual(
    entries.map(({ createdAt }) => createdAt).toSorted((a, b) => b - a),
  )
  expect(new Set(entries.map(({ receiptId }) => receiptId))).toEqual(new Set(['pattern', ...asShown.keys()]))
  // A list with a filter uses a different statement.
  const euros = await api.call('GET', '/api/receipts?limit=200&currency=EUR', { key: merchant.key })
  expect(euros.body.receipts.length).toBeGreaterThan(20)
  for (const entry of euros.body.receipts) expect(entry).toEqual(asShown.get(entry.receiptId))
})

test('statuses that old data spells in their own way are listed by their names', async () => {
  const other = await api.addMerchant()
  const spelled = receiptStatuses.flatMap((status) =>
    spellingsOf(status).map((spelling) => [spelling, status]),
  )
  for (const [i, [spelling = '']] of spelled.entries()) {
    await makeReceipt(api, other, receiptBody(`old-${i}`))
    const text = 'UPDATE receipt SET status = $3 WHERE merchant = $1 AND id = $2'
    await api.database.pool.run({ name: 'test-old-spelling', text }, [other.wallet, `old-${i}`, spelling])
  }
  const { body } = await api.call('GET', '/api/receipts', { key: other.key })
  for (const { status, displayStatus } of body.receipts) expect(displayStatus).toBe(status)
  const statuses = body.receipts.map((entry: { receiptId: string; status: string }) => [
    entry.receiptId,
    entry.status,
  ])
  expect(Object.fromEntries(statuses)).toEqual(
    Object.fromEntries(spelled.map(([, status], i) => [`old-${i}`, status])),
  )
})
