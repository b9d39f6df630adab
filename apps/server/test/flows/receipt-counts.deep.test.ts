import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { expect, test } from 'vitest'
import { changeStatus } from '../../src/receipts/change-status.ts'
import type { TriggerKind } from '../../src/receipts/status.ts'
import { countStatuses, type MirroredReceipt } from '../api/receipts/receipt-mirror.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
const beside = perFile(() => startMerchantApi({ beside: context }))

async function compare(key: string) {
  const { body: summary } = await context.get('/api/receipts/summary', { key })
  const all: MirroredReceipt[] = []
  for (let cursor = ''; ; ) {
    const { body } = await context.get(`/api/receipts?limit=200${cursor}`, { key })
    all.push(...body.receipts)
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  const total = all.reduce((sum, { totalUsd }) => sum + Math.round(totalUsd * 100), 0) / 100
  return { summary, all, total }
}

test('receipts made, changed and replaced by several at once are never miscounted by one', async () => {
  const { key, wallet } = await context.addMerchant()
  const ids = Array.from({ length: 40 }, (_, i) => `busy-${i}`)
  const make = (id: string, usd: number, at = context) =>
    at.post('/api/receipts', receiptBody(id, usd), { key })
  const work = ids.flatMap((id, i) => [
    () => make(id, 5),
    () => make(id, 5, beside),
    // Replaces the receipt if it is unchanged, and is rejected otherwise.
    () => make(id, 5 + i, beside),
    async () => {
      if ((await make(id, 5)).status !== 201) return
      const kind: TriggerKind = i % 3 === 0 ? 'failure_verified' : 'payment_verified'
      await context.needs.db.transaction((tx) =>
        changeStatus({ ...context.needs, tx }, wallet, id as ReceiptId, { kind, detail: {} }),
      )
    },
  ])
  for (let at = 0; at < work.length; at += 12)
    await Promise.all(work.slice(at, at + 12).map((each) => each()))
  const { summary, all, total } = await compare(key)
  expect(summary.count).toBe(ids.length)
  expect(summary.byStatus).toEqual(countStatuses(all))
  expect(summary.totals).toMatchObject([{ currency: 'USD', count: ids.length, total }])
})

test('pages stay what they were while receipts are added', async () => {
  const { key } = await context.addMerchant()
  for (let i = 0; i < 30; i++) {
    await context.clock.advance(10)
    await context.post('/api/receipts', receiptBody(`old-${i}`, 1 + (i % 4)), { key })
  }
  for (const sort of ['-createdAt', '-amount', 'amount', 'createdAt']) {
    const seen: string[] = []
    for (let cursor = '', page = 0; ; page++) {
      const path = `/api/receipts?q=old-&min=1&limit=7&sort=${sort}${cursor}`
      const { body } = await context.get(path, { key })
      seen.push(...body.receipts.map(({ receiptId }: { receiptId: string }) => receiptId))
      await context.post('/api/receipts', receiptBody(`new-${sort}-${page}`, 2), { key })
      if (body.nextCursor === null) break
      cursor = `&cursor=${body.nextCursor}`
    }
    expect(seen).toHaveLength(30)
    expect(new Set(seen).size).toBe(30)
  }
})

test('a cursor is good for its own filters and order alone', async () => {
  const { key } = await context.addMerchant()
  for (const id of ['a', 'b', 'c']) await context.post('/api/receipts', receiptBody(id, 2), { key })
  const { body } = await context.get('/api/receipts?status=pending&limit=1', { key })
  for (const query of ['', 'status=paid&', 'status=pending&sort=amount&', 'status=pending&min=1&'])
    expect(
      (await context.get(`/api/receipts?${query}cursor=${body.nextCursor}`, { key })).status,
      query,
    ).toBe(400)
  expect((await context.get(`/api/receipts?status=pending&cursor=${body.nextCursor}`, { key })).status).toBe(
    200,
  )
})

test('a series is whole, in the days of its time zone, and refused where it would be too long', async () => {
  const { key } = await context.addMerchant()
  const series = (query: string) => context.get(`/api/receipts/summary?${query}`, { key })
  expect((await series('interval=day')).body.series).toEqual([])
  await context.post('/api/receipts', receiptBody('first', 2), { key })
  // The day on which clocks went forward in Berlin has 23 hours.
  const [from, to] = [Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 2, 30, 12)]
  const { body } = await series(`interval=day&timezone=Europe/Berlin&from=${from}&to=${to}`)
  expect(body.series.map((point: { from: number }) => new Date(point.from).toISOString())).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ])
  const all = (await series('interval=month')).body.series
  expect(all.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(1)
  const tooLong = await series(`interval=hour&from=${from}&to=${from + 401 * 3_600_000}`)
  expect(tooLong.status).toBe(400)
  expect(tooLong.body.message).toContain('more than 400 points')
  expect((await series(`interval=hour&from=${from}&to=${from + 400 * 3_600_000}`)).body.series).toHaveLength(
    400,
  )
})

test('a cancelled receipt is awaited by nobody: listed and counted as cancelled, until it is paid after all', async () => {
  const { key, wallet } = await context.addMerchant()
  for (const id of ['gone', 'kept', 'saved']) await context.post('/api/receipts', receiptBody(id, 2), { key })
  const failed = { kind: 'failure_verified', detail: {} } as const
  await context.post('/api/receipts', receiptBody('broken', 3), { key })
  await context.needs.db.transaction((tx) =>
    changeStatus({ ...context.needs, tx }, wallet, 'broken' as ReceiptId, failed),
  )
  for (const id of ['gone', 'saved', 'broken'])
    expect((await context.post(`/api/receipts/${id}/cancel`, {}, { key })).status).toBe(200)
  const paid = { kind: 'payment_verified', detail: {} } as const
  await context.needs.db.transaction((tx) =>
    changeStatus({ ...context.needs, tx }, wallet, 'saved' as ReceiptId, paid),
  )
  const idsOf = async (query: string) => {
    const { body } = await context.get(`/api/receipts?${query}`, { key })
    return body.receipts.map(({ receiptId }: { receiptId: string }) => receiptId).toSorted()
  }
  for (const narrowing of ['', '&q=kept', '&min=1']) {
    const { body } = await context.get(`/api/receipts/summary?currency=USD${narrowing}`, { key })
    expect(body.totals[0].awaiting, narrowing).toBe(2)
  }
  const { summary, all } = await compare(key)
  expect(summary.byStatus).toMatchObject({ pending: 1, failed: 0, paid: 1, cancelled: 2 })
  expect(summary.byStatus).toEqual(countStatuses(all))
  expect(summary.count).toBe(4)
  expect(await idsOf('status=generated,pending')).toEqual(['kept'])
  expect(await idsOf('status=cancelled')).toEqual(['broken', 'gone'])
  expect(await idsOf('status=cancelled&sort=amount&min=3')).toEqual(['broken'])
  expect(await idsOf('status=paid')).toEqual(['saved'])
  expect((await context.get('/api/receipts?status=canceled', { key })).body.message).toContain('cancelled')
})
