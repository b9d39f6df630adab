import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Store, type Storefronts, StoreVisitor, startStorefronts } from '../../support/api/pages.ts'

let context: Storefronts
let shop: Store
let other: Store
beforeAll(async () => {
  context = await startStorefronts()
  shop = await context.addStore({
    slug: 'harbour',
    products: [
      { id: 'guji', sku: 'GUJI', name: 'Ethiopia Guji', priceUsd: 18 },
      { id: 'mug', sku: 'MUG', name: 'Mug', priceUsd: 12, stockQty: 3 },
      { id: 'gone', sku: 'GONE', name: 'Last one', priceUsd: 5, stockQty: 0 },
      { id: 'draft', sku: 'DRAFT', name: 'Not yet', priceUsd: 5, status: 'draft' },
      ...Array.from({ length: 60 }, (_, i) => ({
        id: `p${i}`,
        sku: `p${i}`,
        name: `Part ${i}`,
        priceUsd: 1,
      })),
    ],
  })
  other = await context.addStore({
    slug: 'elsewhere',
    products: [{ id: 'theirs', sku: 'THEIRS', name: 'Their thing', priceUsd: 1 }],
  })
})
afterAll(() => context?.close())

const visit = (store: Store = shop) => new StoreVisitor(store.url)

describe('what a visitor puts into the cart', () => {
  test('is in a cookie of this shop alone, out of reach of scripts and of other sites', async () => {
    const { status, location, setCookie } = await visit().add('guji', { qty: '2' })
    expect([status, location]).toEqual([303, '/shop/harbour/cart?added=guji'])
    expect(setCookie).toMatch(
      /^cart=[\w-]{20}!!!2\*guji; Path=\/shop\/harbour; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    )
  })

  test('adds up, is changed, and is taken out', async () => {
    const visitor = visit()
    await visitor.add('guji')
    await visitor.add('guji', { qty: '2' })
    await visitor.add('mug')
    const cart = (await visitor.get('/cart')).text
    expect(cart).toContain('Cart: 4 items')
    expect(cart).toContain('$66.00')
    await visitor.post('/cart', { 'qty:guji': '1', 'qty:mug': '1' })
    expect((await visitor.get('/cart')).text).toContain('$30.00')
    await visitor.post('/cart', { 'qty:guji': '1', 'qty:mug': '1', remove: 'mug' })
    expect((await visitor.get('/cart')).text).not.toContain('Mug')
    const { setCookie } = await visitor.post('/cart', { 'qty:guji': '0' })
    expect(setCookie).toMatch(/^cart=; .*Max-Age=0/)
    expect((await visitor.get('/cart')).text).toContain('Your cart is empty.')
  })

  test('is never more than there is, and says so', async () => {
    const visitor = visit()
    await visitor.add('mug', { qty: '9' })
    const { text } = await visitor.get('/cart')
    expect(text).toContain('Only 3 of <bdi>Mug</bdi> left.')
    expect(text).toContain('$36.00')
    expect((await visitor.get('/cart')).text).not.toContain('We reduced')
  })

  test.each([
    'gone',
    'draft',
    'theirs',
    '',
    "x' OR 1=1",
  ])('is nothing that is not for sale here: %j', async (id) => {
    const visitor = visit()
    const { status, location, setCookie } = await visitor.add(id)
    expect(setCookie).toBeUndefined()
    if (id === 'gone') expect([status, location]).toEqual([303, '/shop/harbour/gone?refused=sold-out'])
    else expect(status).toBe(404)
    expect((await visitor.get('/cart')).text).toContain('Your cart is empty.')
  })

  test.each(['-1', '0', '1.5', 'two', '99999'])('is a quantity that can be ordered, not %s', async (qty) => {
    const { location, setCookie } = await visit().add('guji', { qty })
    expect([location, setCookie]).toEqual(['/shop/harbour/guji?refused=quantity', undefined])
  })

  test('is fifty lines at most', async () => {
    const visitor = visit()
    for (let i = 0; i < 50; i++) await visitor.add(`p${i}`)
    expect((await visitor.get('/cart')).text).toContain('Cart: 50 items')
    const { location } = await visitor.add('p50')
    expect(location).toBe('/shop/harbour/p50?refused=full')
    expect((await visitor.get('/p50?refused=full')).text).toContain('You cannot add more items.')
    expect((await visitor.add('p49')).location).toBe('/shop/harbour/cart?added=p49')
  })
})

describe('a cart as it was sent', () => {
  test.each([
    'cart=1*theirs',
    'cart=aaaaaaaaaaaaaaaaaaaa!!!1*theirs',
    'cart=aaaaaaaaaaaaaaaaaaaa!!!1*draft',
    'cart=aaaaaaaaaaaaaaaaaaaa!!!0*guji!-1*guji!1e9*guji!1*../cart!1*guji*2026!x',
    'cart=aaaaaaaaaaaaaaaaaaaa!<script>!R-00000000000000000000000000!!!*!*',
    `cart=${'9*p1!'.repeat(700)}`,
    'cart=%00; cart=%ff',
  ])('holds nothing that could not be put there: %s', async (cookie) => {
    const visitor = visit()
    visitor.cookie = cookie
    const { status, text } = await visitor.get('/cart')
    expect(status).toBe(200)
    expect(text).toContain('Your cart is empty.')
    expect(text).not.toContain('Their thing')
  })

  test('of one shop is not that of another, though it were sent there', async () => {
    const visitor = visit(other)
    await visitor.add('theirs')
    const here = visit()
    here.cookie = visitor.cookie
    const { text } = await here.get('/cart')
    expect(text).toContain('no longer for sale')
    expect(text).toContain('Your cart is empty.')
    expect(text).not.toContain('Their thing')
  })
})

describe('a form that another site sends', () => {
  const senders = {
    'another site': { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    'a sister site': { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' },
    'an old browser from another site': { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
    'a frame without an origin': { 'sec-fetch-site': undefined, origin: 'null' },
    nobody: { 'sec-fetch-site': undefined, origin: undefined },
  }
  test.each(Object.entries(senders))('changes nothing: %s', async (_, headers) => {
    const visitor = visit()
    await visitor.add('guji')
    for (const [path, fields] of [
      ['/cart', { add: 'mug' }],
      ['/cart', { remove: 'guji' }],
      ['/checkout', { total: '1800' }],
    ] as const) {
      const { status, setCookie, text } = await visitor.post(path, fields, headers)
      expect([status, setCookie]).toEqual([403, undefined])
      expect(text).toContain('We ignored the request because it came from another website')
    }
    expect((await visitor.get('/cart')).text).toContain('Cart: 1 item')
  })

  test('is one of ours where an old browser says so', async () => {
    const { status } = await visit().post('/cart', { add: 'guji' }, { 'sec-fetch-site': undefined })
    expect(status).toBe(303)
  })

  test('is refused where it is too large, holds what nobody types, or is no form', async () => {
    const visitor = visit()
    expect((await visitor.post('/cart', { add: 'x'.repeat(20_000) })).status).toBeGreaterThanOrEqual(400)
    expect((await visitor.post('/cart', { add: 'gu\u0000ji' })).status).toBe(404)
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`qty:p${i}`, '1']))
    expect((await visitor.post('/cart', many)).status).toBe(404)
    const { status } = await visitor.post('/cart', {}, { 'content-type': 'text/plain' })
    expect(status).toBe(400)
  })
})
