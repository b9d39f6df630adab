import { expect, test } from 'vitest'
import type { TriggerKind } from '../../../src/receipts/status.ts'
import { startShop } from '../../support/api/shop.ts'
import { holdTransaction, untilSomebodyWaits } from '../../support/database/hold-transaction.ts'
import { perFile } from '../../support/per-file.ts'
import { seededRandom } from '../../support/test-random.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addShop())

const day = 24 * 3_600_000
const order = async (items: object[], more: object = {}) =>
  (await shop.order(merchant, { items, ...more })).body
const stock = (id: string) => shop.stockOf(merchant, id)
const get = async (id: string) => (await shop.call('GET', `/api/orders/${id}`, { key: merchant.key })).body
const move = (id: string, kind: TriggerKind) => shop.move(merchant.wallet, id, kind)

/**
 * Returns products that break the invariant: no negative stock, and all stock is on the shelf, reserved or
 * sold.
 */
const broken = () =>
  rows(`SELECT p.id FROM product p WHERE p.merchant = $1 AND p.stock <> -1 AND (p.stock < 0
    OR p.stock + (SELECT coalesce(sum(h.qty - h.missing), 0) FROM stock_reservation h
      WHERE h.merchant = $1 AND h.product_id = p.id AND h.state <> 'released')
      <> (p.attributes->>'initial')::int8)`)
const rows = (text: string) => shop.needs.db.rows({ name: '', text }, [merchant.wallet])
const places = async (id: string, orderId: string) => [await stock(id), (await get(orderId)).stock]
const addCounted = (initial: number) =>
  shop.addProduct(merchant, { priceUsd: 1, stockQty: initial, attributes: { initial } })

test('held when ordered, taken when paid, and nothing happens twice', async () => {
  const id = await addCounted(5)
  const made = await order([{ id, qty: 2 }])
  expect(await places(id, made.id)).toEqual([3, 'reserved'])
  await shop.settle()
  expect(await places(id, made.id)).toEqual([3, 'reserved'])
  await move(made.id, 'payment_verified')
  for (let i = 0; i < 3; i++) await shop.settle()
  expect(await places(id, made.id)).toEqual([3, 'committed'])
  await move(made.id, 'refunds_complete')
  await shop.clock.advance(2 * day)
  await shop.settle()
  expect(await places(id, made.id)).toEqual([3, 'committed'])
  expect(await broken()).toEqual([])
})

test('given back when it is cancelled, taken again when money that was on its way pays after all', async () => {
  const id = await addCounted(5)
  const made = await order([{ id, qty: 2 }])
  await shop.call('POST', `/api/receipts/${made.receiptId}/cancel`, { key: merchant.key })
  await shop.settle()
  expect([await stock(id), (await get(made.id)).stock]).toEqual([5, 'released'])
  await move(made.id, 'payment_verified')
  await shop.settle()
  expect([await stock(id), (await get(made.id)).stock]).toEqual([3, 'committed'])
  expect(await broken()).toEqual([])
})

test('given back when it fails, taken again when a new attempt pays after all', async () => {
  const id = await addCounted(5)
  const made = await order([{ id, qty: 4 }])
  await move(made.id, 'failure_verified')
  await shop.settle()
  await shop.settle()
  expect(await places(id, made.id)).toEqual([5, 'released'])
  await move(made.id, 'payment_verified')
  await shop.settle()
  expect([await stock(id), await get(made.id)]).toMatchObject([1, { stock: 'committed', stockMissing: [] }])
  expect(await broken()).toEqual([])
})

test('given back when it expires, not before', async () => {
  const id = await addCounted(5)
  const made = await order([{ id, qty: 5 }])
  expect((await shop.order(merchant, { items: [{ id, qty: 1 }] })).body.left).toBe(0)
  await shop.clock.advance(day - 1)
  await shop.settle()
  expect(await stock(id)).toBe(0)
  await shop.clock.advance(1)
  await shop.settle()
  expect(await places(id, made.id)).toEqual([5, 'released'])
  expect((await shop.order(merchant, { items: [{ id, qty: 1 }] })).status).toBe(201)
})

test('money that comes after the stock was sold to others takes what is left, never below zero, and it is told', async () => {
  const id = await addCounted(5)
  const late = await order([{ id, qty: 4 }], { expiresAt: shop.clock.now() + 1_000 })
  await shop.clock.advance(1_000)
  await shop.settle()
  await order([{ id, qty: 3 }])
  await move(late.id, 'payment_verified')
  await shop.settle()
  expect(await stock(id)).toBe(0)
  expect(await get(late.id)).toMatchObject({ stock: 'committed', stockMissing: [{ productId: id, qty: 2 }] })
  expect(await broken()).toEqual([])
})

test('a product that is counted no longer, or only since, is neither raised nor lowered', async () => {
  const [was, is] = [await addCounted(5), await shop.addProduct(merchant, { priceUsd: 1 })]
  const made = await order([was, is].map((id) => ({ id, qty: 2 })))
  const count = (id: string, stockQty: number) =>
    shop.call('PATCH', `/api/inventory/${id}`, { key: merchant.key, body: { stockQty } })
  await count(was, -1)
  await count(is, 10)
  await move(made.id, 'failure_verified')
  await shop.settle()
  expect([await stock(was), await stock(is)]).toEqual([-1, 10])
})

test('stock that comes in while an order waits for it is sold', async () => {
  const id = await shop.addProduct(merchant, { priceUsd: 1, stockQty: 0 })
  const { db } = shop.needs
  const text = 'UPDATE product SET stock = 10 WHERE merchant = $1 AND id = $2'
  const letGo = await holdTransaction(db, text, [merchant.wallet, id])
  const ordered = shop.order(merchant, { items: [{ id, qty: 4 }] })
  await untilSomebodyWaits(db)
  await letGo()
  expect([(await ordered).status, await stock(id)]).toEqual([201, 6])
})

test('100 orders race for 30 pieces: 30 are sold, 70 hear that none is left', async () => {
  const id = await addCounted(30)
  const orders = Array.from({ length: 100 }, () => shop.order(merchant, { items: [{ id, qty: 1 }] }))
  const responses = await Promise.all(orders)
  const sold = responses.filter(({ status }) => status === 201)
  const refused = responses.filter(({ body }) => body.error === 'inventory_item_unavailable')
  expect([sold.length, refused.length, await stock(id)]).toEqual([30, 70, 0])
  expect(refused.every(({ body }) => body.left < 1)).toBe(true)
  expect(await broken()).toEqual([])
})

test('orders of many products in any order, payments, failures and two replicas race without a deadlock or a lost piece', async () => {
  const ids = await Promise.all([7, 25, 60, 8, 40].map(addCounted))
  const random = seededRandom('order-stock')
  const pick = (below: number) => (random.bytes(1)[0] ?? 0) % below
  const shuffled = () =>
    ids
      .map((id) => ({ id, place: pick(256) }))
      .sort((a, b) => a.place - b.place)
      .slice(0, 2 + pick(4))
      .map(({ id }) => ({ id, qty: 1 + pick(3) }))
  const orders = Array.from({ length: 120 }, (_, i) => ({ items: shuffled(), fate: i % 3 }))
  let unexpected = 0
  let isOver = false
  const replica = async () => {
    while (!isOver) await shop.settle()
  }
  const replicas = [replica(), replica()]
  const place = async ({ items, fate }: (typeof orders)[number]) => {
    const response = await shop.order(merchant, { items })
    if (response.status !== 201) {
      if (response.body.error !== 'inventory_item_unavailable') unexpected++
      return
    }
    if (fate > 0) await move(response.body.id, fate === 1 ? 'payment_verified' : 'failure_verified')
  }
  const lanes = Array.from({ length: 12 }, async () => {
    for (let next = orders.pop(); next; next = orders.pop()) await place(next)
  })
  await Promise.all(lanes)
  isOver = true
  await Promise.all(replicas)
  await shop.settle()
  expect(unexpected).toBe(0)
  expect(await broken()).toEqual([])
  await shop.clock.advance(2 * day)
  await shop.settle()
  const unsettled = `SELECT h.state FROM stock_reservation h JOIN customer_order o ON o.merchant = $1 AND o.id = h.holder
    JOIN receipt r ON r.merchant = $1 AND r.id = o.id
    WHERE h.merchant = $1 AND (h.state <> o.stock OR (h.state = 'committed') <> (r.status IN ('paid', 'refunded')))`
  expect(await rows(unsettled)).toEqual([])
  expect(await broken()).toEqual([])
})
