import { describe, expect, test } from 'vitest'
import { maxPageBytes } from '../../../src/kernel/page.ts'
import { perFile } from '../../support/per-file.ts'
import { startContractWorld } from '../../support/worlds/contract-world.ts'

const world = perFile(startContractWorld)

const longLines = Array.from({ length: 500 }, (_, i) => ({ label: `${i} ${'ä'.repeat(190)}`, priceUsd: 1 }))

/** Follows a list to its end; the ids found, and the size of its longest page. */
async function follow(path: string, field: string, id: string, key: string) {
  const ids: string[] = []
  let longest = 0
  let pageCount = 0
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body, text } = await world.get(`${path}?limit=200${cursor && `&cursor=${cursor}`}`, {
      key,
    })
    expect(status, text.slice(0, 200)).toBe(200)
    expect(body[field].length).toBeGreaterThan(0)
    ids.push(...body[field].map((entry: Record<string, string>) => entry[id]))
    longest = Math.max(longest, text.length)
    cursor = body.nextCursor
    pageCount++
  }
  return { ids, longest, pageCount }
}

describe('a page of a list is bounded in bytes, and the list is whole over its pages:', () => {
  test('receipts of 500 lines', async () => {
    const { key } = await world.addMerchant()
    const ids = Array.from({ length: 24 }, (_, i) => `long-${i}`)
    for (const id of ids)
      expect(
        (await world.post('/api/receipts', { id, lineItems: longLines, totalUsd: 500 }, { key })).status,
      ).toBe(201)
    const found = await follow('/api/receipts', 'receipts', 'receiptId', key)
    expect(found.ids.toSorted()).toEqual(ids.toSorted())
    expect(found.pageCount).toBeGreaterThan(1)
    // One entry may be begun where there is room left: here one is some 110 kB.
    expect(found.longest).toBeLessThan(maxPageBytes + 200_000)
  })

  test('orders of many products', async () => {
    const name = 'ä'.repeat(190)
    for (let i = 0; i < 60; i++)
      await world.post('/api/inventory', { sku: `order-${i}`, name: `${i} ${name}`, priceUsd: 1 })
    await world.addSplit(world.merchant.wallet)
    const items = Array.from({ length: 480 }, (_, i) => ({ sku: `order-${i % 60}`, qty: 1 }))
    const ids: string[] = []
    for (let i = 0; i < 14; i++) {
      const made = await world.post('/api/orders', { items, jurisdictionCode: 'US-CA' })
      expect(made.status, made.text).toBe(201)
      ids.push(made.body.id)
    }
    const found = await follow('/api/orders', 'orders', 'id', world.merchant.key)
    expect(found.ids.toSorted()).toEqual(ids.toSorted())
    expect(found.pageCount).toBeGreaterThan(1)
    expect(found.longest).toBeLessThan(maxPageBytes + 400_000)
  })

  test('products with all that a product may say', async () => {
    const { key } = await world.addMerchant()
    for (let i = 0; i < 150; i++) {
      const body = {
        sku: `long-${i}`,
        name: 'Tea',
        priceUsd: 1,
        description: 'ä'.repeat(4_000),
        attributes: { note: 'x'.repeat(8_000) },
      }
      expect((await world.post('/api/inventory', body, { key })).status).toBe(201)
    }
    const found = await follow('/api/inventory', 'items', 'sku', key)
    expect(new Set(found.ids).size).toBe(150)
    expect(found.pageCount).toBeGreaterThan(1)
    expect(found.longest).toBeLessThan(maxPageBytes + 100_000)
  })

  test('a page of ordinary entries is as long as was asked', async () => {
    const { key } = await world.addMerchant()
    for (let i = 0; i < 3; i++)
      await world.post(
        '/api/receipts',
        { id: `r${i}`, lineItems: [{ label: 'Tea', priceUsd: 1 }], totalUsd: 1 },
        { key },
      )
    const page = async (limit: number) => (await world.get(`/api/receipts?limit=${limit}`, { key })).body
    expect([(await page(3)).receipts.length, (await page(3)).nextCursor]).toEqual([3, null])
    expect([(await page(2)).receipts.length, typeof (await page(2)).nextCursor]).toEqual([2, 'string'])
  })
})

describe('a parameter of the query that no one reads', () => {
  test('is told which one was meant', async () => {
    const { status, body } = await world.get('/api/receipts?limt=1&cusror=x&whatever=1')
    expect([status, body.error]).toEqual([400, 'invalid_input'])
    expect(body.issues).toEqual([
      { path: 'limt', message: 'is not a parameter of this endpoint; did you mean limit?' },
      { path: 'cusror', message: 'is not a parameter of this endpoint; did you mean cursor?' },
      { path: 'whatever', message: 'is not a parameter of this endpoint; it takes limit, cursor' },
    ])
  })

  test('is given back no longer than it helps', async () => {
    const { text } = await world.get(`/api/receipts?${'x'.repeat(5_000)}=1`)
    expect(text).not.toContain('x'.repeat(101))
  })
})
