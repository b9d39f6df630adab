import { beforeAll, expect, test } from 'vitest'
import { parseCsv } from '../../../src/inventory/parse-csv.ts'
import { startMerchantApi } from '../../support/api/merchant-api.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startMerchantApi)
const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '"quoted", and\r\nbroken', 'naïve ☕', "'=1"]

beforeAll(async () => {
  for (const [i, transactionId] of hostile.entries()) {
    await context.clock.advance(1)
    await context.newReceipt({ id: `r-${i}`, transactionId, metadata: { note: transactionId } })
  }
})

async function download(path: string, key = context.merchant.key) {
  const response = await fetch(context.url + path, { headers: { 'x-api-key': key } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function read(text: string): Record<string, string>[] {
  const [head, ...rows] = parseCsv(text)
  return rows.map(({ cells }) => Object.fromEntries(cells.map((cell, i) => [head?.cells[i] ?? '', cell])))
}

test('every file begins with a byte order mark, so that Excel reads it as UTF-8', async () => {
  for (const path of ['receipts', 'payments', 'split/transactions']) {
    const headers = { 'x-api-key': context.merchant.key }
    const response = await fetch(`${context.url}/api/${path}/export`, { headers })
    const start = new Uint8Array(await response.arrayBuffer()).slice(0, 3)
    expect([...start], path).toEqual([0xef, 0xbb, 0xbf])
  }
})

test('receipts come as rows of a file that no spreadsheet computes, in the order of the list', async () => {
  const { status, headers, text } = await download('/api/receipts/export')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
  expect(headers.get('content-disposition')).toBe('attachment; filename="receipts.csv"')
  const rows = read(text)
  expect(rows.map(({ receiptId }) => receiptId)).toEqual(hostile.map((_, i) => `r-${i}`).toReversed())
  for (const [i, row] of rows.toReversed().entries()) {
    const wasFormula = /^'*[=+\-@\t]/.test(hostile[i] ?? '')
    expect(row.transactionId).toBe(wasFormula ? `'${hostile[i]}` : hostile[i])
    expect(row).toMatchObject({
      status: 'pending',
      currency: 'USD',
      total: '3.5',
      totalUsd: '3.5',
      paidAt: '',
    })
    expect(row.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(JSON.parse(row.metadata ?? '')).toEqual({ note: hostile[i] })
  }
})

test('filters and the order of the list apply, and faults are answers of their own', async () => {
  const { text } = await download('/api/receipts/export?q=r-3&sort=amount')
  expect(read(text).map(({ receiptId }) => receiptId)).toEqual(['r-3'])
  for (const query of ['status=x', 'limit=5', 'min=-1'])
    expect((await download(`/api/receipts/export?${query}`)).status, query).toBe(400)
})

test('a merchant without anything gets the header row alone, and nothing of anybody else', async () => {
  const { key } = await context.addMerchant()
  for (const path of ['/api/receipts/export', '/api/payments/export', '/api/split/transactions/export']) {
    const { status, text } = await download(path, key)
    expect(status, path).toBe(200)
    expect(text.split('\r\n').filter(Boolean), path).toHaveLength(1)
  }
})

test('more than a page comes whole and once each', async () => {
  const { key } = await context.addMerchant()
  const ids = Array.from({ length: 450 }, (_, i) => `many-${i}`)
  for (const id of ids) {
    const body = { id, lineItems: [{ label: 'Tea', amount: 1 }] }
    expect((await context.post('/api/receipts', body, { key })).status).toBe(201)
  }
  const rows = read((await download('/api/receipts/export', key)).text)
  expect(rows.map(({ receiptId }) => receiptId).toSorted()).toEqual(ids.toSorted())
})
