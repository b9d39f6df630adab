import { expect, test } from 'vitest'
import type { RateSource } from '../../../src/pricing/rates/rate.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(() => startApi({ rates: [euro] }))
const merchant = perFile(() => api.addMerchant({ name: 'Far' }))
const open: bigint[] = []

/** Counts this database's connections that are idle in a transaction. */
const countOpen = {
  name: 'test-count-open-transactions',
  text: `SELECT count(*) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle in transaction'`,
}

const euro: RateSource = {
  name: 'euro',
  codes: ['EUR'],
  async read() {
    const row = await api.database.pool.row<{ count: bigint }>(countOpen)
    open.push(row?.count ?? 0n)
    return [{ code: 'EUR', source: 'euro', usdPerUnit: 110_000_000n as never, quotedAt: api.clock.now() }]
  },
}

test('a rate is asked for before the transaction of an Idempotency-Key, and once for all its repeats', async () => {
  const body = { id: 'far', currency: 'EUR', lineItems: [{ label: 'Thing', amount: 5 }], total: 5 }
  const post = () =>
    api.call('POST', '/api/receipts', { key: merchant.key, body, headers: { 'idempotency-key': 'k1' } })
  const made = await post()
  expect(made.status, made.text).toBe(201)
  expect(open).toEqual([0n])
  await api.clock.advance(60 * 60_000)
  const again = await post()
  expect([again.status, again.text]).toEqual([201, made.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(open).toEqual([0n])
})
