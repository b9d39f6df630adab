import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import type { Statement } from '../../src/platform/database/statement.ts'
import { insertKeyedReceipts } from '../../src/receipts/making/insert-keyed-receipts.ts'
import { insertReceipts } from '../../src/receipts/making/insert-receipts.ts'
import { storeKeyedTogether, storeTogether } from '../../src/receipts/making/store-together.ts'
import type { Receipt } from '../../src/receipts/receipt.ts'
import { findReceipt } from '../../src/receipts/store.ts'
import { makeReceipt, receiptBody } from '../support/api/receipts.ts'
import { startApi } from '../support/api/start-api.ts'
import { isOnCluster } from '../support/database/on-cluster.ts'
import { wrapDatabase } from '../support/database/wrap-database.ts'
import { perFile } from '../support/per-file.ts'

const api = perFile(() => startApi())
const merchants = perFile(() => Promise.all([api.addMerchant(), api.addMerchant()]))

/** A receipt with a key of its own, and the answer that is kept for it. */
const keyedAs = (receipt: Receipt, key: string) => ({
  receipt,
  request: {
    merchant: receipt.merchant,
    method: 'POST',
    path: '/p',
    key,
    requestHash: `hash of ${receipt.id}`,
    hasSecretAnswer: false,
  },
  answer: { status: 201, body: `answer to ${receipt.id}` },
  at: 5 as UnixMs,
})

const tables = ['receipt', 'receipt_history', 'receipt_tally_change', 'receipt_term', 'idempotency']

/** A receipt in which every column has something. */
async function findPattern(): Promise<Receipt> {
  const [merchant] = merchants
  const more = {
    transactionId: 'T-1',
    metadata: { till: 'one', half: '\u{1f600} "' },
    providerEmail: 'A@b.example',
  }
  await makeReceipt(api, merchant, receiptBody('pattern', 2, more)).catch(() => {})
  const found = await findReceipt(api.database.pool, merchant.wallet, 'pattern' as ReceiptId)
  return {
    ...(found as Receipt),
    currency: 'EUR',
    nativeTotalCents: 177n,
    feeCents: 13n,
    billing: { email: 'Other@b.example', firstName: 'Half a pair: \ud83d' },
    paidUnits: 10n ** 30n + 1n,
    expiresAt: 1_900_000_000_000 as UnixMs,
    splitVersion: 2n ** 60n,
    brandName: 'Half a pair: \ud83d',
  } as unknown as Receipt
}

/** All that is stored of a merchant since `from`, without whose it is. */
async function rowsOf(merchant: Wallet): Promise<unknown[]> {
  const rows = []
  for (const table of tables) {
    const text = `SELECT to_jsonb(it) - 'merchant' - 'standing' AS row FROM ${table} AS it WHERE merchant = $1`
    const found = await api.database.pool.rows<{ row: Record<string, unknown> }>(
      { name: `test-rows-of-${table}`, text },
      [merchant],
    )
    rows.push(
      found
        .map(({ row: { ...row } }) =>
          JSON.stringify(table === 'receipt_tally_change' ? { ...row, id: 0 } : row),
        )
        .toSorted(),
    )
  }
  return rows
}

test('a machine of a cluster stores of receipts, and of answers to their keys, what one PostgreSQL stores', async () => {
  const [first, second] = await Promise.all([api.addMerchant(), api.addMerchant()])
  const pattern = { ...(await findPattern()), billing: { email: 'Other@b.example' } } as Receipt
  const some = (merchant: Wallet) =>
    Array.from(
      { length: 5 },
      (_, i) =>
        ({ ...pattern, merchant, id: `some-${i}` as ReceiptId, totalCents: 100n + BigInt(i) }) as Receipt,
    )
  const keyed = (merchant: Wallet) =>
    some(merchant).map((receipt, i) => ({
      receipt: { ...receipt, id: `keyed-${i}` as ReceiptId },
      request: {
        merchant,
        method: 'POST',
        path: '/api/receipts',
        key: `key-${i}`,
        requestHash: `hash-${i}`,
        hasSecretAnswer: false,
      },
      answer: { status: 201, body: `{"id":"${i}"}` },
      at: 5 as UnixMs,
    }))
  const { pool } = api.database
  expect(await insertReceipts(pool, some(first.wallet))).toEqual(
    await storeTogether(pool, some(second.wallet)),
  )
  for (const outcomes of [
    await insertKeyedReceipts(pool, keyed(first.wallet)),
    await storeKeyedTogether(pool, keyed(second.wallet)),
  ])
    expect(outcomes.map(({ isMade }) => isMade)).toEqual([true, true, true, true, true])
  const sums = `SELECT quarter, currency, status, sum(receipts) AS receipts, sum(total_cents) AS total,
    sum(native_cents) AS native, sum(fee_cents) AS fee, sum(refunded_cents) AS refunded
    FROM receipt_tally_change WHERE merchant = $1 GROUP BY 1, 2, 3`
  const sumsOf = (merchant: Wallet) => pool.rows({ name: 'test-sums', text: sums }, [merchant])
  expect(await sumsOf(second.wallet)).toEqual(await sumsOf(first.wallet))
  expect(await rowsOf(second.wallet)).toEqual(await rowsOf(first.wallet))
})

test('half a surrogate pair is stored as one PostgreSQL stores it', async () => {
  const [first, second] = merchants
  const pattern = { ...(await findPattern()), billing: undefined, id: 'half' as ReceiptId }
  const { pool } = api.database
  await insertReceipts(pool, [{ ...pattern, merchant: first.wallet }])
  await storeTogether(pool, [{ ...pattern, merchant: second.wallet }])
  const [one, other] = await Promise.all(
    [first, second].map(({ wallet }) => findReceipt(pool, wallet, pattern.id)),
  )
  expect(other).toEqual({ ...one, merchant: second.wallet })
  expect(other?.brandName).toBe('Half a pair: \ufffd')
})

test('what is there already is left as it is, and the others are stored', async () => {
  const { wallet: merchant } = await api.addMerchant()
  const pattern = { ...(await findPattern()), billing: undefined, merchant }
  const named = (id: string) => ({ ...pattern, id: id as ReceiptId })
  const { pool } = api.database
  expect(await storeTogether(pool, [named('b')])).toEqual([true])
  expect(await storeTogether(pool, ['c', 'b', 'a'].map(named))).toEqual([true, false, true])
  const keyed = (id: string, key: string) => keyedAs(named(id), key)
  expect(await storeKeyedTogether(pool, [keyed('d', 'k')])).toEqual([{ isMade: true, kept: undefined }])
  const kept = { requestHash: 'hash of d', status: 201, body: 'answer to d' }
  expect(await storeKeyedTogether(pool, [keyed('e', 'k'), keyed('f', 'l'), keyed('a', 'm')])).toEqual([
    { isMade: false, kept },
    { isMade: true, kept: undefined },
    { isMade: false, kept: undefined },
  ])
  expect(await findReceipt(pool, merchant, 'e' as ReceiptId)).toBeUndefined()
})

test('calls that race for the same ids store each once, and one that fails stores nothing', async () => {
  const { wallet: merchant } = await api.addMerchant()
  const pattern = { ...(await findPattern()), billing: undefined, merchant }
  const ids = Array.from({ length: 12 }, (_, i) => `raced-${i}` as ReceiptId)
  const made: ReceiptId[] = []
  const store = async (wanted: readonly ReceiptId[]) => {
    const stored = await storeTogether(
      api.database.pool,
      wanted.map((id) => ({ ...pattern, id })),
    )
    made.push(...wanted.filter((_, i) => stored[i]))
  }
  await Promise.allSettled(Array.from({ length: 8 }, (_, turn) => store(ids.slice(turn % 4))))
  await store(ids)
  expect(made.toSorted()).toEqual(ids.toSorted())
})

test('of receipts under one key the first is stored, the others hear of its answer, and those beside them are stored', async () => {
  const [{ wallet: merchant }, { wallet: other }] = await Promise.all([api.addMerchant(), api.addMerchant()])
  const pattern = { ...(await findPattern()), billing: undefined }
  const keyed = (whose: Wallet, id: string, key: string) =>
    keyedAs({ ...pattern, merchant: whose, id: id as ReceiptId }, key)
  const { pool } = api.database
  const made = { isMade: true, kept: undefined }
  const isTaken = { isMade: false, kept: undefined }
  const kept = (id: string) => ({
    isMade: false,
    kept: { requestHash: `hash of ${id}`, status: 201, body: `answer to ${id}` },
  })
  const some = [
    keyed(merchant, 'a', 'k'),
    keyed(merchant, 'b', 'k'),
    keyed(merchant, 'c', 'k'),
    keyed(merchant, 'd', 'l'),
    keyed(other, 'a', 'k'),
  ]
  expect(await storeKeyedTogether(pool, some)).toEqual([made, kept('a'), kept('a'), made, made])
  // A key is not answered by a receipt that is there already.
  const more = [
    ...['a', 'd', 'e', 'f'].map((id) => keyed(merchant, id, 'm')),
    ...['g', 'h'].map((id) => keyed(merchant, id, 'l')),
  ]
  expect(await storeKeyedTogether(pool, more)).toEqual([
    isTaken,
    isTaken,
    made,
    kept('e'),
    kept('d'),
    kept('d'),
  ])
})

test.skipIf(isOnCluster)(
  'what was answered to an Idempotency-Key is found by the key, before anything is known of the table too',
  async () => {
    const { pool } = api.database
    const sent: Statement[] = []
    const db = wrapDatabase(pool, (statement, run) => {
      sent.push(statement)
      return run()
    })
    const pattern = await findPattern()
    await insertKeyedReceipts(db, [
      keyedAs({ ...pattern, billing: undefined, id: 'planned' as ReceiptId }, 'planned'),
    ])
    expect(sent).toHaveLength(1)
    const rows = await pool.rows<Record<'QUERY PLAN', string>>({
      name: '',
      text: `EXPLAIN (GENERIC_PLAN) ${sent[0]?.text}`,
    })
    const plan = rows.map((row) => row['QUERY PLAN'])
    const reads = plan.filter((line) => / on idempotency( known|$| {2})/.test(line) && line.includes('Scan'))
    expect(reads, plan.join('\n')).toEqual([expect.stringContaining('Index Scan using idempotency_pkey')])
    const entered = plan.filter((line) => line.includes('Index Cond') && line.includes('path'))
    expect(entered, plan.join('\n')).toEqual([
      expect.stringMatching(/merchant = .*method = .*path = .*key = /),
    ])
  },
)
