import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endSubscription } from '../../../src/access/keys/change-subscription.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { type Store, type Storefronts, StoreVisitor, startStorefronts } from '../../support/api/pages.ts'

let context: Storefronts
let shop: Store
beforeAll(async () => {
  context = await startStorefronts()
  shop = await context.addStore({
    slug: 'harbour',
    products: [
      { id: 'guji', sku: 'GUJI', name: 'Ethiopia Guji', priceUsd: 18 },
      { id: 'taxed', sku: 'TAXED', name: 'Grinder', priceUsd: 100, taxable: true },
      { id: 'few', sku: 'FEW', name: 'Mug', priceUsd: 12, stockQty: 3 },
      { id: 'free', sku: 'FREE', name: 'Sample', priceUsd: 0 },
    ],
  })
})
afterAll(() => context?.close())

const visit = (store: Store = shop) => new StoreVisitor(store.url)
const idIn = (location: string | undefined) => /^\/pay\/(R-\w{26})$/.exec(location ?? '')?.[1] ?? ''
const ordersOf = async ({ key }: Store = shop) =>
  (await context.api.call('GET', '/api/orders', { key })).body.orders as Record<string, unknown>[]
const orderOf = async (id: string, { key }: Store = shop) =>
  (await context.api.call('GET', `/api/orders/${id}`, { key })).body
const stockOf = async (id: string) =>
  (await context.api.call('GET', `/api/inventory/${id}`, { key: shop.key })).body.item.stockQty

describe('checking out', () => {
  test('makes the order that the API would, and leads to its payment with a way back', async () => {
    const visitor = visit()
    await visitor.add('guji', { qty: '2' })
    await visitor.add('few')
    const { status, location } = await visitor.checkOut()
    expect(status).toBe(303)
    const id = idIn(location)
    expect(await orderOf(id)).toMatchObject({
      status: 'pending',
      items: [
        { sku: 'GUJI', qty: 2, totalUsd: 36 },
        { sku: 'FEW', qty: 1, totalUsd: 12 },
      ],
      totalUsd: 48,
      jurisdictionCode: 'ZZ-ZZ',
      stock: 'released',
      metadata: { storefront: 'harbour' },
      expiresAt: context.api.clock.now() + 3_600_000,
    })
    expect(await stockOf('few'), 'nothing is reserved before the buyer begins to pay').toBe(3)
    const row = await receiptRow(id)
    expect(row).toEqual({ return_url: 'http://127.0.0.1/shop/harbour', key_id: await oldestKeyId() })
  })

  test('twice is one order', async () => {
    const visitor = visit()
    await visitor.add('guji')
    const before = (await ordersOf()).length
    const [first, again] = [await visitor.checkOut(), await visitor.checkOut()]
    expect(idIn(first.location)).not.toBe('')
    expect(again.location).toBe(first.location)
    expect((await ordersOf()).length).toBe(before + 1)
    expect((await visitor.get('/cart')).text).toContain('already placed this order')
  })

  test('of another cart is another order, and the first one is still offered', async () => {
    const visitor = visit()
    await visitor.add('guji')
    const first = idIn((await visitor.checkOut()).location)
    await visitor.add('guji')
    const { text } = await visitor.get('/cart')
    expect(text).toContain('You have an earlier order that is not paid')
    expect(text).toContain(`/pay/${first}`)
    const second = idIn((await visitor.checkOut()).location)
    expect(second).not.toBe(first)
    expect(await orderOf(second)).toMatchObject({ totalUsd: 36 })
  })

  test('can be taken back, and the cart is as it was', async () => {
    const visitor = visit()
    const left = await stockOf('few')
    await visitor.add('few', { qty: String(left) })
    const first = idIn((await visitor.checkOut()).location)
    expect((await visitor.post('/cart', { cancel: first })).location).toBe('/shop/harbour/cart')
    const { text } = await visitor.get('/cart')
    expect(text).toContain('Mug')
    expect(text).not.toContain('already placed this order')
    const second = idIn((await visitor.checkOut()).location)
    expect(second).not.toBe(first)
    await visitor.post('/cart', { cancel: second })
    expect(await stockOf('few')).toBe(left)
  })

  test.each(['paid', 'of nobody'])('takes back nothing that is %s', async (what) => {
    const visitor = visit()
    await visitor.add('guji')
    const id = idIn((await visitor.checkOut()).location)
    if (what === 'paid') await context.api.move(shop.wallet, id, 'payment_verified')
    await visitor.post('/cart', { cancel: what === 'paid' ? id : 'R-00000000000000000000000000' })
    const detail = (await context.api.call('GET', `/api/receipts/${id}`, { key: shop.key })).body
    expect(detail.cancelledAt).toBeNull()
  })

  test('takes back no receipt that no storefront made, whatever the cookie says', async () => {
    const body = { items: [{ sku: 'GUJI', qty: 1 }], jurisdictionCode: 'US-OR' }
    const { id } = (await context.api.call('POST', '/api/orders', { key: shop.key, body })).body
    const visitor = visit()
    visitor.cookie = `cart=${'a'.repeat(20)}!!${id}!1*guji`
    await visitor.post('/cart', { cancel: id })
    const detail = (await context.api.call('GET', `/api/receipts/${id}`, { key: shop.key })).body
    expect(detail.cancelledAt).toBeNull()
  })

  test('keeps the cart until it is paid, then empties it', async () => {
    const visitor = visit()
    await visitor.add('guji')
    const id = idIn((await visitor.checkOut()).location)
    expect((await visitor.get()).text).toContain('Cart: 1 item')
    await context.api.move(shop.wallet, id, 'payment_verified')
    const { text } = await visitor.get()
    expect(text).toContain('Thank you! Your order is paid.')
    expect(text).toContain('Cart: empty')
    expect((await visitor.get()).text).not.toContain('Thank you')
  })

  test('leaves what was added after the order, when that is paid', async () => {
    const visitor = visit()
    await visitor.add('guji')
    const id = idIn((await visitor.checkOut()).location)
    await visitor.add('taxed')
    await context.api.move(shop.wallet, id, 'payment_verified')
    expect((await visitor.get('/cart')).text).toContain('Grinder')
  })

  test('after the order has expired makes a new one', async () => {
    const visitor = visit()
    await visitor.add('guji')
    const first = idIn((await visitor.checkOut()).location)
    await context.api.clock.advance(3_600_001)
    const second = idIn((await visitor.checkOut()).location)
    expect([first, second]).not.toContain('')
    expect(second).not.toBe(first)
  })

  test('orders nothing that the buyer has not seen the total of', async () => {
    const visitor = visit()
    await visitor.add('guji')
    const seen = { 'qty:guji': '1', total: '1800' }
    await context.put(shop, { sku: 'GUJI', name: 'Ethiopia Guji', priceUsd: 19 })
    const before = (await ordersOf()).length
    const { location } = await visitor.post('/checkout', seen)
    expect(location).toBe('/shop/harbour/cart?trouble=total-changed')
    expect((await visitor.get('/cart?trouble=total-changed')).text).toContain('The total has changed.')
    expect((await visitor.post('/checkout', { ...seen, 'qty:guji': '2', total: '1900' })).location).toContain(
      'total-changed',
    )
    expect((await ordersOf()).length).toBe(before)
    expect(await orderOf(idIn((await visitor.checkOut()).location))).toMatchObject({ totalUsd: 38 })
    await context.put(shop, { sku: 'GUJI', name: 'Ethiopia Guji', priceUsd: 18 })
  })
})

describe('what cannot be had', () => {
  test('is taken out of the cart in words, and the rest is kept', async () => {
    const second = visit()
    const left = await stockOf('few')
    await second.add('few', { qty: String(left) })
    await second.add('guji')
    expect((await second.get('/cart')).text).toContain('Mug')
    await context.put(shop, { sku: 'FEW', name: 'Mug', priceUsd: 12, stockQty: 0 })
    const total = String(1_200 * left + 1_800)
    const { location } = await second.post('/checkout', { 'qty:few': String(left), 'qty:guji': '1', total })
    expect(location).toBe('/shop/harbour/cart?trouble=unavailable')
    const after = (await second.get('/cart?trouble=unavailable')).text
    expect(after).toContain('<bdi>Mug</bdi> is sold out. We removed it.')
    expect(after).toContain('$18.00')
    expect((await second.get('/cart')).text).not.toContain('Mug')
    await context.put(shop, { sku: 'FEW', name: 'Mug', priceUsd: 12, stockQty: left })
  })

  test('is nothing at all where the shop has no split, and the shop says so', async () => {
    const closed = await context.addStore({
      slug: 'closed',
      hasSplit: false,
      products: [{ id: 'thing', sku: 'THING', name: 'Thing', priceUsd: 10 }],
    })
    const visitor = visit(closed)
    expect((await visitor.get()).text).toContain('cannot take payments yet')
    expect((await visitor.get()).text).not.toContain('name="add"')
    expect((await visitor.add('thing')).location).toBe('/shop/closed/thing?refused=cannot-sell')
    const token = 'a'.repeat(20)
    visitor.cookie = `cart=${token}!!!1*thing`
    const { location } = await visitor.checkOut()
    expect(location).toBe('/shop/closed/cart?trouble=cannot-sell')
    expect((await visitor.get('/cart?trouble=cannot-sell')).text).toContain('Your items are saved')
    expect((await visitor.get('/cart')).text).toContain('Thing')
  })

  test('is a payment below or above what the deployment takes', async () => {
    const visitor = visit()
    await visitor.add('free')
    expect((await visitor.get('/cart')).text).toContain('The minimum payment here is $0.01.')
    expect((await visitor.checkOut()).location).toContain('/cart?trouble=')
  })
})

test('a form that is sent ten times at once makes one order', async () => {
  const real = await startStorefronts({ realTime: systemClock })
  const products = [{ id: 'a', sku: 'a', name: 'A', priceUsd: 1, stockQty: 5 }]
  const store = await real.addStore({ slug: 'real', products })
  const visitor = visit(store)
  await visitor.add('a')
  const form = { 'qty:a': '1', total: '100' }
  const replies = await Promise.all(Array.from({ length: 10 }, () => visitor.post('/checkout', form)))
  expect(new Set(replies.map(({ location }) => idIn(location))).size).toBe(1)
  expect(idIn(replies[0]?.location)).not.toBe('')
  expect((await real.api.call('GET', '/api/orders', { key: store.key })).body.orders).toHaveLength(1)
  expect((await real.api.call('GET', '/api/inventory/a', { key: store.key })).body.item.stockQty).toBe(5)
  await real.close()
})

test('an address checks out ten times a minute', async () => {
  const busy = await startStorefronts({ rateLimitScale: 1 })
  const store = await busy.addStore({
    slug: 'busy',
    products: [{ id: 'a', sku: 'a', name: 'A', priceUsd: 1 }],
  })
  const visitor = visit(store)
  await visitor.add('a')
  const statuses: number[] = []
  for (let i = 0; i < 11; i++)
    statuses.push((await visitor.post('/checkout', { 'qty:a': '1', total: '100' })).status)
  expect(statuses).toEqual([...Array<number>(10).fill(303), 429])
  await busy.close()
})

test('without a key of the merchant an order is made all the same, and signed by nobody', async () => {
  const quiet = await context.addStore({
    slug: 'quiet',
    products: [{ id: 'a', sku: 'a', name: 'A', priceUsd: 1 }],
  })
  await endSubscription(context.api.needs, quiet.wallet, quiet.subscriptionId)
  const visitor = visit(quiet)
  await visitor.add('a')
  expect((await receiptRow(idIn((await visitor.checkOut()).location), quiet)).key_id).toBeNull()
})

async function receiptRow(id: string, { wallet }: Store = shop) {
  const text = 'SELECT return_url, key_id FROM receipt WHERE merchant = $1 AND id = $2'
  type Row = { return_url: string | null; key_id: string | null }
  const found = await context.api.database.pool.row<Row>({
    name: 'test-receipt-row',
    text,
    values: [wallet, id],
  })
  return found ?? { return_url: 'none', key_id: 'none' }
}

async function oldestKeyId(): Promise<string> {
  const text = "SELECT id FROM api_key WHERE merchant = $1 AND slot = 'primary'"
  const values = [shop.wallet]
  const found = await context.api.database.pool.row<{ id: string }>({ name: 'test-oldest-key', text, values })
  return found?.id ?? ''
}
