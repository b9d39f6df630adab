import { describe, expect, test } from 'vitest'
import { maxPageBytes } from '../../../src/kernel/page.ts'
import { followPages } from '../../support/api/call-api.ts'
import { startMerchantApi } from '../../support/api/merchant-api.ts'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startMerchantApi)

const longLines = Array.from({ length: 500 }, (_, i) => ({ label: `${i} ${'ä'.repeat(190)}`, priceUsd: 1 }))

async function follow(path: string, field: string, id: string, key: string) {
  let longest = 0
  const pages = await followPages(async (more) => {
    const response = await context.get(`${path}?limit=200${more}`, { key })
    expect(response.status, response.text.slice(0, 200)).toBe(200)
    expect(response.body[field].length).toBeGreaterThan(0)
    longest = Math.max(longest, response.text.length)
    return response
  })
  const ids: string[] = pages.flatMap((page) => page[field]).map((entry) => entry[id])
  return { ids, longest, pageCount: pages.length }
}

describe('a page of a list is bounded in bytes, and the list is whole over its pages:', () => {
  test('receipts of 500 lines', async () => {
    const merchant = await context.addMerchant()
    const ids = Array.from({ length: 24 }, (_, i) => `long-${i}`)
    for (const id of ids) await makeReceipt(context, merchant, receiptBody(id, 500, { lineItems: longLines }))
    const found = await follow('/api/receipts', 'receipts', 'receiptId', merchant.key)
    expect(found.ids.toSorted()).toEqual(ids.toSorted())
    expect(found.pageCount).toBeGreaterThan(1)
    // The last entry may exceed the limit. An entry in this test is about 110 kB.
    expect(found.longest).toBeLessThan(maxPageBytes + 200_000)
  })

  test('orders of many products', async () => {
    const name = 'ä'.repeat(190)
    for (let i = 0; i < 60; i++)
      await context.post('/api/inventory', { sku: `order-${i}`, name: `${i} ${name}`, priceUsd: 1 })
    await context.addSplit(context.merchant.wallet)
    const items = Array.from({ length: 480 }, (_, i) => ({ sku: `order-${i % 60}`, qty: 1 }))
    const ids: string[] = []
    for (let i = 0; i < 14; i++) {
      const made = await context.post('/api/orders', { items, jurisdictionCode: 'US-CA' })
      expect(made.status, made.text).toBe(201)
      ids.push(made.body.id)
    }
    const found = await follow('/api/orders', 'orders', 'id', context.merchant.key)
    expect(found.ids.toSorted()).toEqual(ids.toSorted())
    expect(found.pageCount).toBeGreaterThan(1)
    expect(found.longest).toBeLessThan(maxPageBytes + 400_000)
  })

  test('products with all that a product may say', async () => {
    const { key } = await context.addMerchant()
    for (let i = 0; i < 150; i++) {
      const long = { description: 'ä'.repeat(4_000), attributes: { note: 'x'.repeat(8_000) } }
      const body = { sku: `long-${i}`, name: 'Tea', priceUsd: 1, ...long }
      expect((await context.post('/api/inventory', body, { key })).status).toBe(201)
    }
    const found = await follow('/api/inventory', 'items', 'sku', key)
    expect(new Set(found.ids).size).toBe(150)
    expect(found.pageCount).toBeGreaterThan(1)
    expect(found.longest).toBeLessThan(maxPageBytes + 100_000)
  })

  test('a page of ordinary entries is as long as was asked', async () => {
    const merchant = await context.addMerchant()
    for (let i = 0; i < 3; i++) await makeReceipt(context, merchant, receiptBody(`r${i}`))
    const { key } = merchant
    const page = async (limit: number) => (await context.get(`/api/receipts?limit=${limit}`, { key })).body
    expect([(await page(3)).receipts.length, (await page(3)).nextCursor]).toEqual([3, null])
    expect([(await page(2)).receipts.length, typeof (await page(2)).nextCursor]).toEqual([2, 'string'])
  })
})

describe('a parameter of the query that no one reads', () => {
  test('is told which one was meant', async () => {
    const { status, body } = await context.get('/api/receipts?limt=1&cusror=x&whatever=1')
    expect([status, body.error]).toEqual([400, 'invalid_input'])
    expect(body.issues).toEqual([
      { path: 'limt', message: 'is not a parameter of this endpoint; did you mean limit?' },
      { path: 'cusror', message: 'is not a parameter of this endpoint; did you mean cursor?' },
      {
        path: 'whatever',
        message:
          'is not a parameter of this endpoint; its parameters are status, from, to, q, currency, min, max, displayStatus, sort, limit, cursor',
      },
    ])
  })

  test('is given back no longer than it helps', async () => {
    const { text } = await context.get(`/api/receipts?${'x'.repeat(5_000)}=1`)
    expect(text).not.toContain('x'.repeat(101))
  })
})
