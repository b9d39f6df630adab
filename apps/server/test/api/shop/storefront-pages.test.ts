import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeShop } from '../../../src/shop/change-shop.ts'
import { assignBrand, changeSite } from '../../../src/site/change-site.ts'
import { type Store, type Storefronts, StoreVisitor, startStorefronts } from '../../support/api/pages.ts'

let context: Storefronts
let shop: Store
beforeAll(async () => {
  context = await startStorefronts()
  shop = await context.addStore({
    slug: 'harbour',
    description: 'Roasted by the water.',
    arrangement: 'grid',
    products: [
      {
        id: 'guji',
        sku: 'G/1 x',
        name: 'Ethiopia Guji',
        priceUsd: 1_018.5,
        category: 'Coffee',
        costUsd: 3.21,
      },
      { id: 'decaf', sku: 'D', name: 'Decaf', priceUsd: 15, category: 'Coffee', tags: ['mild'], stockQty: 2 },
      {
        id: 'mug',
        sku: 'M',
        name: 'Mug 100%',
        priceUsd: 12,
        category: 'Gear',
        stockQty: 0,
        description: 'For coffee',
      },
      { id: 'old', sku: 'O', name: 'Retired blend', priceUsd: 9, status: 'archived', category: 'Gone' },
      { id: 'new', sku: 'N', name: 'Secret blend', priceUsd: 9, status: 'draft', category: 'Soon' },
      { id: 'cart', sku: 'basket', name: 'Wicker basket', priceUsd: 30 },
    ],
  })
  await context.addStore({
    slug: 'neighbour',
    products: [{ id: 'theirs', sku: 'T', name: 'Their thing', priceUsd: 1, category: 'Theirs' }],
  })
})
afterAll(() => context?.close())

const visit = (store: Store = shop) => new StoreVisitor(store.url)
const textOf = async (path = '', headers = {}) => (await visit().get(path, headers)).text
const names = (text: string) => [...text.matchAll(/<h3><a [^>]*><bdi>([^<]*)/g)].map(([, name]) => name)

describe('a storefront', () => {
  test('shows what is for sale, and nothing of cost, drafts, what is archived, or other merchants', async () => {
    const text = await textOf()
    expect(names(text).sort()).toEqual(['Decaf', 'Ethiopia Guji', 'Mug 100%', 'Wicker basket'])
    expect(text).toContain('$1,018.50')
    expect(text).toContain('Only 2 left')
    expect(text).toContain('Sold out')
    for (const hidden of ['3.21', 'Retired', 'Secret', 'Their', 'Gone', 'Soon'])
      expect(text).not.toContain(hidden)
    for (const path of ['/old', '/new', '/theirs', '/O', '/T', `/${'x'.repeat(3_000)}`, '/%00', '/%F0%9F%98'])
      expect((await visit().get(path)).status).toBe(path === '/%F0%9F%98' ? 400 : 404)
  })

  test('is not there under any other name', async () => {
    for (const slug of ['unknown', 'HARBOUR', 'harbour%20', '..%2f', "a'--", 'x'.repeat(500)]) {
      const { status, text } = await new StoreVisitor(`${context.api.url}/shop/${slug}`).get()
      expect([slug, status]).toEqual([slug, 404])
      expect(text).toContain('Shop not found')
    }
    const nameless = await context.api.addMerchant({ name: 'No address' })
    expect((await new StoreVisitor(`${context.api.url}/shop/${nameless.wallet}`).get()).status).toBe(404)
  })

  test('is found by search, category and tag, whatever else is asked', async () => {
    expect(names(await textOf('?q=COFFEE'))).toEqual(['Mug 100%'])
    expect(names(await textOf('?q=100%25'))).toEqual(['Mug 100%'])
    expect(names(await textOf('?q=_'))).toEqual([])
    expect(names(await textOf('?category=Coffee')).sort()).toEqual(['Decaf', 'Ethiopia Guji'])
    expect(names(await textOf('?category=Coffee&q=decaf'))).toEqual(['Decaf'])
    expect(names(await textOf('?tag=mild'))).toEqual(['Decaf'])
    for (const odd of ['?q=%00', '?q=%ED%A0%80', '?q=a&q=b', '?category=Theirs', `?q=${'y'.repeat(5_000)}`])
      expect((await visit().get(odd)).status, odd).toBe(200)
    expect(await textOf('?category=Theirs')).toContain('No products match')
    expect((await visit().get('?cursor=nonsense')).location).toBe('/shop/harbour')
  })

  test('goes on where a page ends, and comes to every product once', async () => {
    const big = await context.addStore({
      slug: 'big',
      products: Array.from({ length: 53 }, (_, i) => ({
        id: `b${i}`,
        sku: `b${i}`,
        name: `Bolt ${i}`,
        priceUsd: 1,
      })),
    })
    const seen: (string | undefined)[] = []
    let path: string | undefined = ''
    let pages = 0
    while (path !== undefined && pages++ < 10) {
      const { text } = await visit(big).get(path)
      seen.push(...names(text))
      path = /class="quiet" href="\/shop\/big(\?[^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(pages).toBe(3)
    expect(new Set(seen).size).toBe(53)
    expect(seen).toHaveLength(53)
  })

  test('has one address for each product, which its sku leads to', async () => {
    expect((await visit().get('/G%2F1%20x')).location).toBe('/shop/harbour/guji')
    expect((await visit().get('/guji')).status).toBe(200)
    expect(await textOf('/cart')).toContain('Your cart')
    expect(await textOf('/basket')).toContain('Wicker basket')
    expect(await textOf()).toContain('href="/shop/harbour/basket"')
  })

  test('may be listed by search engines; the cart may not', async () => {
    const front = await textOf()
    expect(front).toContain('<link rel="canonical" href="http://127.0.0.1/shop/harbour">')
    expect(front).toContain('<meta name="description" content="Roasted by the water.">')
    expect(front).not.toContain('noindex')
    expect(await textOf('/guji')).toContain('href="http://127.0.0.1/shop/harbour/guji"')
    for (const path of ['/cart', '?q=x', '/unknown']) expect(await textOf(path)).toContain('noindex')
  })

  test('speaks the language that is asked for, on every page it leads to', async () => {
    const text = await textOf('?lang=de')
    expect(text).toContain('<html lang="de"')
    expect(text).toContain('1.018,50')
    expect(text).toContain('href="/shop/harbour/guji?lang=de"')
    expect(text).toContain('href="/shop/harbour/cart?lang=de"')
    const visitor = visit()
    expect((await visitor.post('/cart?lang=de', { add: 'guji' })).location).toContain('lang=de')
    expect(await textOf('', { 'accept-language': 'ar' })).toContain('dir="rtl"')
  })

  test('keeps within the budget of pages: HTML and CSS in one TCP window, the script under 12 kB', async () => {
    const sizeOf = async (url: string) => {
      const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } })
      await response.arrayBuffer()
      return Number(response.headers.get('content-length'))
    }
    const text = await textOf()
    const [css, script] = ['css', 'js'].map((type) => text.match(`/assets/store\\.\\w+\\.${type}`)?.[0])
    expect((await sizeOf(shop.url)) + (await sizeOf(context.api.url + css))).toBeLessThan(14_000)
    expect(await sizeOf(context.api.url + script)).toBeLessThan(12_000)
  })

  test("is shown on its own brand's domain, with addresses of that domain, and on no other", async () => {
    const store = await context.addStore({
      slug: 'branded',
      products: [{ id: 'a', sku: 'a', name: 'A', priceUsd: 4 }],
    })
    const theme = { brandName: 'Acme' }
    const domains = ['acme.example']
    await changeSite(context.api.needs, 'acme', { theme, domains, processingFeeHundredths: 250n })
    await assignBrand(context.api.needs, store.wallet, 'acme')
    expect((await visit(store).get()).status).toBe(404)
    const host = { host: 'acme.example', origin: 'https://acme.example', 'sec-fetch-site': 'same-origin' }
    const { text } = await visit(store).get('', host)
    expect(text).toContain('<link rel="canonical" href="https://acme.example/shop/branded">')
    const visitor = visit(store)
    await visitor.post('/cart', { add: 'a' }, host)
    const cart = (await visitor.get('/cart', host)).text
    expect(cart).toMatch(/Processing fee<\/dt><dd>\$0\.10/)
    expect(cart).toContain('$4.10')
    const { location } = await visitor.post('/checkout', { 'qty:a': '1', total: '410' }, host)
    expect(location).toMatch(/^\/pay\/R-/)
    expect((await visit().get('', host)).status).toBe(404)
  })

  test('is shown under the name it has now, and not under the one it gave up', async () => {
    const moving = await context.addStore({ slug: 'before' })
    await changeShop(context.api.needs, moving.wallet, { slug: 'after' })
    expect((await visit(moving).get()).status).toBe(404)
    expect((await new StoreVisitor(`${context.api.url}/shop/after`).get()).status).toBe(200)
  })
})

describe('a hotel', () => {
  let hotel: Store
  beforeAll(async () => {
    hotel = await context.addStore({
      slug: 'casa',
      pack: 'hotel',
      products: [
        { id: 'loft', sku: 'LOFT', name: 'Loft', priceUsd: 100, stockQty: 20 },
        { id: 'breakfast', sku: 'BF', name: 'Breakfast', priceUsd: 10, tags: ['extra'] },
      ],
    })
  })
  const stay = { arrival: '2026-03-01', departure: '2026-03-04' }

  test('sells nights: a line for each room, as many as there are nights, with its dates', async () => {
    const visitor = visit(hotel)
    expect((await visitor.get(`?arrival=${stay.arrival}&departure=${stay.departure}`)).text).toContain(
      '<span class="amount">$300.00</span> <span class="unit">for 3 nights</span>',
    )
    await visitor.add('loft', { ...stay, qty: '2' })
    await visitor.add('breakfast', { qty: '3' })
    const { text } = await visitor.get('/cart')
    expect(text).toContain('1 Mar 2026 to 4 Mar 2026 · 3 nights')
    expect(text).toContain('$630.00')
    const id = (await visitor.checkOut()).location?.split('/').at(-1)
    const order = (await context.api.call('GET', `/api/orders/${id}`, { key: hotel.key })).body
    const night = { sku: 'LOFT', name: 'Loft, 2026-03-01 – 2026-03-04', qty: 3, totalUsd: 300 }
    expect(order.items).toMatchObject([night, night, { sku: 'BF', name: 'Breakfast', qty: 3 }])
    expect(order.metadata).toEqual({ storefront: 'casa', stays: [{ sku: 'LOFT', ...stay, rooms: 2 }] })
    const { body } = await context.api.call('GET', '/api/inventory/loft', { key: hotel.key })
    expect(body.item.stockQty).toBe(20)
  })

  test.each([
    { arrival: '2026-03-04', departure: '2026-03-01' },
    { arrival: '2026-03-01', departure: '2026-03-01' },
    { arrival: '2025-12-01', departure: '2025-12-04' },
    { arrival: '2026-02-30', departure: '2026-03-04' },
    { arrival: '2026-03-01', departure: '2026-06-01' },
    { arrival: '2031-03-01', departure: '2031-03-02' },
    { arrival: 'soon', departure: '' },
    {},
  ])('does not sell nights that are none: %j', async (dates) => {
    const visitor = visit(hotel)
    const { location, setCookie } = await visitor.add('loft', dates as Record<string, string>)
    expect(location).toContain('refused=dates')
    expect(setCookie).toBeUndefined()
    expect((await visitor.get(location?.replace('/shop/casa', ''))).text).toContain('Choose a check-in')
  })

  test('takes out a stay that has passed since it was chosen', async () => {
    const visitor = visit(hotel)
    visitor.cookie = `cart=${'a'.repeat(20)}!!!1*loft*2025-12-01*2025-12-03`
    expect((await visitor.get('/cart')).text).toContain('have passed')
  })
})

test('a freelancer is booked once, however often that is pressed', async () => {
  const studio = await context.addStore({
    slug: 'studio',
    pack: 'freelancer',
    products: [{ id: 'logo', sku: 'LOGO', name: 'Logo', priceUsd: 900 }],
  })
  const visitor = visit(studio)
  for (let i = 0; i < 3; i++)
    expect((await visitor.add('logo', { qty: '7' })).location).toContain('/cart?added=')
  expect((await visitor.get('/cart')).text).toContain('Booking: 1 item')
})
