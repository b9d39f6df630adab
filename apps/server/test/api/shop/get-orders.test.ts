import { describe, expect, test } from 'vitest'
import { followPages } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, receiptBody } from '../../support/api/receipts.ts'
import { startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addShop())

const get = (path: string, key = merchant.key) => shop.call('GET', path, { key })
let count = 0
const newSku = () => `sku-${++count}`

describe('GET /api/orders', () => {
  test('newest first; the cursor walks the list without a gap or a repeat', async () => {
    const owner = await shop.addShop()
    const sku = newSku()
    await shop.addProduct(owner, { sku })
    const made: string[] = []
    for (let i = 0; i < 5; i++) {
      if (i !== 2) await shop.clock.advance(1)
      made.push((await shop.order(owner, { items: [{ sku, qty: 1 }] })).body.id)
    }
    const pages = await followPages((more) => get(`/api/orders?limit=2${more}`, owner.key))
    const seen: string[] = pages.flatMap(({ orders }) => orders.map((each: { id: string }) => each.id))
    expect(seen.length).toBe(5)
    expect([seen[0], seen[1], seen[4]]).toEqual([made[4], made[3], made[0]])
    expect(seen.toSorted()).toEqual(made.toSorted())
  })

  const badPages = ['limit=0', 'limit=201', 'limit=x', 'cursor=nonsense', 'limit=1&limit=1']
  test.each(badPages)('400 invalid_input for %s', async (query) => {
    expectApiError(await get(`/api/orders?${query}`), 400, 'invalid_input')
  })

  test("another merchant's orders are in no list, and 404 as unknown ones are", async () => {
    const sku = newSku()
    await shop.addProduct(merchant, { sku })
    const { id } = (await shop.order(merchant, { items: [{ sku, qty: 1 }] })).body
    const other = await shop.addShop()
    expect((await get('/api/orders', other.key)).body).toEqual({ orders: [], nextCursor: null })
    for (const path of [id, `R-${'0'.repeat(26)}`, 'x']) {
      const response = await get(`/api/orders/${path}`, other.key)
      expect([response.status, response.body]).toEqual([
        404,
        { error: 'not_found', message: 'Order not found' },
      ])
    }
  })

  test('a receipt that no order made is no order', async () => {
    await makeReceipt(shop, merchant, receiptBody('plain'))
    expect((await get('/api/orders/plain')).status).toBe(404)
  })
})
