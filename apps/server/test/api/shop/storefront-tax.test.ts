import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeSettings } from '../../../src/access/settings/change-settings.ts'
import { type Store, type Storefronts, StoreVisitor, startStorefronts } from '../../support/api/pages.ts'

let context: Storefronts
let shop: Store
beforeAll(async () => {
  context = await startStorefronts()
  shop = await context.addStore({
    slug: 'harbour',
    products: [{ id: 'taxed', sku: 'TAXED', name: 'Grinder', priceUsd: 100, taxable: true }],
  })
})
afterAll(() => context?.close())

const visit = (store: Store = shop) => new StoreVisitor(store.url)
const idIn = (location: string | undefined) => /^\/pay\/(R-\w{26})$/.exec(location ?? '')?.[1] ?? ''
const orderOf = async (id: string, { key }: Store = shop) =>
  (await context.api.call('GET', `/api/orders/${id}`, { key })).body

describe('what is taxed', () => {
  test('asks where, shows the tax, and only then makes the order', async () => {
    const visitor = visit()
    await visitor.add('taxed')
    expect((await visitor.checkOut({ place: '' })).location).toContain('trouble=place-missing')
    const missing = (await visitor.get('/cart?trouble=place-missing')).text
    expect(missing).toContain('aria-invalid="true"')
    expect((await visitor.checkOut({ place: 'US-CA' })).location).toContain('trouble=tax-added')
    expect((await visitor.get('/cart')).text).toContain('$107.25')
    const order = await orderOf(idIn((await visitor.checkOut()).location))
    expect(order).toMatchObject({ totalUsd: 107.25, taxUsd: 7.25, jurisdictionCode: 'US-CA' })
  })

  test('is taxed in a country as its catalogue says, whatever its region', async () => {
    const visitor = visit()
    await visitor.add('taxed')
    await visitor.post('/cart', { place: 'DE' })
    expect(await orderOf(idIn((await visitor.checkOut()).location))).toMatchObject({
      taxUsd: 19,
      jurisdictionCode: 'DE',
    })
  })

  test("is taxed at the merchant's own place and rate where nothing else is said", async () => {
    const own = await context.addStore({
      slug: 'own-rate',
      products: [{ id: 'thing', sku: 'THING', name: 'Thing', priceUsd: 10, taxable: true }],
    })
    const taxRates = [{ jurisdictionCode: 'US-OR', rate: 0.05, components: [] }]
    await changeSettings(context.api.needs, own.wallet, { taxRates })
    const visitor = visit(own)
    await visitor.add('thing')
    expect((await visitor.get('/cart')).text).toContain('$10.50')
    expect(await orderOf(idIn((await visitor.checkOut()).location), own)).toMatchObject({
      taxUsd: 0.5,
      jurisdictionCode: 'US-OR',
      taxFrom: 'merchant',
    })
  })

  test.each([
    'XX-1',
    'us-ca',
    'US',
    'DE-DE',
    "'; --",
    'ZZ-ZZ',
  ])('is nowhere that nobody has a rate for: %s', async (place) => {
    const visitor = visit()
    await visitor.add('taxed')
    expect((await visitor.checkOut({ place })).location).toContain('trouble=place-missing')
  })
})
