import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addMerchant())

let count = 0
const product = (more: object = {}) => ({ sku: `sku-${++count}`, name: 'Coffee', priceUsd: 3.5, ...more })
const post = (body: unknown, key = merchant.key) => shop.call('POST', '/api/inventory', { key, body })
const patch = (id: string, body: unknown, key = merchant.key) =>
  shop.call('PATCH', `/api/inventory/${id}`, { key, body })
const get = (path: string, key = merchant.key) => shop.call('GET', `/api/inventory${path}`, { key })
const remove = (id: string, key = merchant.key) => shop.call('DELETE', `/api/inventory/${id}`, { key })
const full = {
  name: 'Espresso',
  description: 'Short.\nStrong.',
  priceUsd: 2.4,
  stockQty: 12,
  taxable: true,
  category: 'drinks',
  tags: ['hot', 'small'],
  images: ['https://img.example.com/espresso.jpg'],
  attributes: { origin: { country: 'BR' }, roast: 3 },
  costUsd: 0.4,
  status: 'draft',
}

describe('POST /api/inventory', () => {
  test('201 with what was given and the defaults for what was not', async () => {
    const response = await post(product({ sku: 'plain' }))
    const item = {
      id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      sku: 'plain',
      name: 'Coffee',
      description: '',
      priceUsd: 3.5,
      stockQty: -1,
      taxable: false,
      category: null,
      tags: [],
      images: [],
      attributes: {},
      costUsd: null,
      status: 'active',
      createdAt: shop.clock.now(),
      updatedAt: shop.clock.now(),
    }
    expect([response.status, response.body]).toEqual([201, { ok: true, item }])
  })

  test('every field is kept as it was given', async () => {
    const { body } = await post({ sku: 'every', ...full })
    expect(body.item).toMatchObject(full)
    expect((await get(`/${body.item.id}`)).body).toEqual({ item: body.item })
  })

  test('200 for a sku that is there: what is given changes, what is not stays', async () => {
    const first = await post({ sku: 'twice', ...full })
    await shop.clock.advance(5)
    const changed = { name: 'Ristretto', priceUsd: 2.6 }
    const second = await post({ sku: 'twice', ...changed })
    expect(second.status).toBe(200)
    expect(second.body.item).toEqual({ ...first.body.item, ...changed, updatedAt: shop.clock.now() })
  })

  test('200 for an id that is there, whose sku changes; 201 for an id that is not', async () => {
    const { id } = (await post(product())).body.item
    const renamed = await post(product({ id, sku: 'renamed' }))
    expect([renamed.status, renamed.body.item.id, renamed.body.item.sku]).toEqual([200, id, 'renamed'])
    const own = await post(product({ id: 'my-own:1' }))
    expect([own.status, own.body.item.id]).toEqual([201, 'my-own:1'])
  })

  test('an archived product that is posted again is sold again', async () => {
    const { body } = await post(product({ sku: 'phoenix' }))
    await remove(body.item.id)
    const again = await post(product({ sku: 'phoenix' }))
    expect([again.status, again.body.item.id, again.body.item.status]).toEqual([200, body.item.id, 'active'])
  })

  test('409 product_conflict for the sku of one product with the id of another, known or not', async () => {
    const one = (await post(product({ sku: 'one' }))).body.item
    const two = (await post(product({ sku: 'two' }))).body.item
    for (const id of [two.id, 'nobody-knows']) {
      expectApiError(await post(product({ sku: 'one', id })), 409, 'product_conflict')
    }
    expect((await get(`/${one.id}`)).body.item).toEqual(one)
    expect((await get(`/${two.id}`)).body.item).toEqual(two)
  })

  test('prices are read to the cent, half away from zero', async () => {
    const prices: [number, number][] = [
      [0.1 + 0.2, 0.3],
      [1.005, 1.01],
      [0, 0],
      [1_000_000_000, 1_000_000_000],
      [2.2 * 3, 6.6],
    ]
    for (const [sent, kept] of prices) {
      const response = await post(`{"sku":"price-${sent}","name":"x","priceUsd":${sent}}`)
      expect([response.status, response.body.item?.priceUsd]).toEqual([201, kept])
    }
  })

  test('racing posts of one sku make one product', async () => {
    const bodies = Array.from({ length: 12 }, (_, i) => ({ sku: 'race', name: `n${i}`, priceUsd: i }))
    const responses = await Promise.all(bodies.map((body) => post(body)))
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201])
    expect(new Set(responses.map(({ body }) => body.item.id)).size).toBe(1)
  })

  const faulty: [string, unknown][] = [
    ['no sku', { name: 'x', priceUsd: 1 }],
    ['no name', { sku: 'f', priceUsd: 1 }],
    ['no price', { sku: 'f', name: 'x' }],
    ['an empty sku', product({ sku: '' })],
    ['a blank name', product({ name: '  ' })],
    ['a sku of 65 signs', product({ sku: 'x'.repeat(65) })],
    ['a name of 201 signs', product({ name: 'x'.repeat(201) })],
    ['a sku with a line break', product({ sku: 'a\nb' })],
    ['a sku with a NUL', product({ sku: 'a\0b' })],
    ['a description of 4001 signs', product({ description: 'x'.repeat(4001) })],
    ['a price that is a text', product({ priceUsd: '1' })],
    ['a price that is null', product({ priceUsd: null })],
    ['a negative price', product({ priceUsd: -0.001 })],
    ['a price above the limit', product({ priceUsd: 1_000_000_000.01 })],
    ['a stock below -1', product({ stockQty: -2 })],
    ['a stock that is no integer', product({ stockQty: 1.5 })],
    ['a stock that is a text', product({ stockQty: '1' })],
    ['a stock above the limit', product({ stockQty: 1e15 })],
    ['taxable as a text', product({ taxable: 'true' })],
    ['25 tags', product({ tags: Array.from({ length: 25 }, (_, i) => `t${i}`) })],
    ['a tag with a comma', product({ tags: ['a,b'] })],
    ['9 images', product({ images: Array.from({ length: 9 }, (_, i) => `https://a.example/${i}`) })],
    ['an image that is not https', product({ images: ['http://a.example/x'] })],
    ['an image that is a script', product({ images: ['javascript:alert(1)'] })],
    ['an image of 2049 signs', product({ images: [`https://a.example/${'x'.repeat(2049)}`] })],
    ['attributes that are a list', product({ attributes: [1] })],
    ['attributes above 8 KiB', product({ attributes: { a: 'x'.repeat(9000) } })],
    ['a negative cost', product({ costUsd: -1 })],
    ['an unknown status', product({ status: 'gone' })],
    ['an id with a slash', product({ id: 'a/b' })],
    ['a list', [product()]],
    ['a body above 1 MiB', product({ description: 'x'.repeat(1024 * 1024) })],
  ]
  test.each(faulty)('400 invalid_input for %s, and nothing is stored', async (_name, body) => {
    const before = (await get('?status=any')).body.total
    const response = await post(body)
    expectApiError(response, 400, 'invalid_input')
    expect(response.body.issues.length).toBeGreaterThan(0)
    expect((await get('?status=any')).body.total).toBe(before)
  })

  test('a body between 256 KiB and 1 MiB is read here, and nowhere else', async () => {
    const body = product({ unknown: 'x'.repeat(300 * 1024) })
    expect((await post(body)).status).toBe(201)
    expect((await shop.call('POST', '/api/receipts', { key: merchant.key, body })).status).toBe(400)
  })

  test('401 without a key, 403 with one that may only read', async () => {
    const reader = await shop.addMerchant({ scopes: ['inventory:read'] })
    const calls = ['POST /api/inventory', 'POST /api/inventory/import', 'PATCH /api/inventory/x']
    for (const call of [...calls, 'DELETE /api/inventory/x']) {
      const [method = '', path = ''] = call.split(' ')
      expect((await shop.call(method, path)).status).toBe(401)
      expectApiError(await shop.call(method, path, { key: reader.key }), 403, 'forbidden')
    }
    const writer = await shop.addMerchant({ scopes: ['inventory:write'] })
    for (const path of ['', '/x', '/export']) expect((await get(path, writer.key)).status).toBe(403)
  })

  test('x-merchant-wallet means nothing to a write: without a key it is 401', async () => {
    const options = { headers: { 'x-merchant-wallet': merchant.wallet }, body: product() }
    expect((await shop.call('POST', '/api/inventory', options)).status).toBe(401)
  })
})

describe('GET, PATCH and DELETE /api/inventory/{id}', () => {
  test('what is given changes, null empties, the rest stays', async () => {
    const { item } = (await post(product(full))).body
    await shop.clock.advance(7)
    const change = { priceUsd: 9.99, category: null, costUsd: null, stockQty: -1 }
    const response = await patch(item.id, change)
    const after = { ...item, ...change, updatedAt: shop.clock.now() }
    expect([response.status, response.body]).toEqual([200, { ok: true, item: after }])
    expect((await get(`/${item.id}`)).body.item).toEqual(response.body.item)
  })

  test('409 product_conflict for the sku of another', async () => {
    const one = (await post(product())).body.item
    const two = (await post(product())).body.item
    expectApiError(await patch(one.id, { sku: two.sku }), 409, 'product_conflict')
    expect((await patch(one.id, { sku: one.sku })).status).toBe(200)
  })

  test('two that race for one sku: one gets it', async () => {
    const items = await Promise.all([post(product()), post(product()), post(product())])
    const responses = await Promise.all(items.map(({ body }) => patch(body.item.id, { sku: 'wanted' })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  const bad = [{ priceUsd: -1 }, { stockQty: -2 }, { name: '' }, { sku: null }]
  test.each([...bad, { images: ['ftp://x.example'] }])('400 invalid_input for %o', async (body) => {
    const { item } = (await post(product())).body
    expectApiError(await patch(item.id, body), 400, 'invalid_input')
    expect((await get(`/${item.id}`)).body.item).toEqual(item)
  })

  test('an archived product leaves the list, and is known by its id', async () => {
    const owner = await shop.addMerchant()
    const id = await shop.addProduct(owner)
    expect((await remove(id, owner.key)).body).toEqual({ ok: true })
    expect((await remove(id, owner.key)).status).toBe(200)
    expect((await get('', owner.key)).body).toEqual({ items: [], total: 0, nextCursor: null })
    expect((await get('?status=archived', owner.key)).body.total).toBe(1)
    expect((await get(`/${id}`, owner.key)).body.item.status).toBe('archived')
  })

  test("404 for an id nobody has, and exactly so for another merchant's", async () => {
    const { item } = (await post(product())).body
    const other = await shop.addMerchant()
    for (const id of ['unknown', item.id, 'a%20b', 'x'.repeat(200)]) {
      const [read, changed] = [get(`/${id}`, other.key), patch(id, { priceUsd: 1 }, other.key)]
      for (const { status, body } of await Promise.all([read, changed, remove(id, other.key)]))
        expect([status, body]).toEqual([404, { error: 'not_found', message: 'Product not found' }])
    }
    expect((await get(`/${item.id}`)).body.item).toEqual(item)
  })

  test("another merchant's skus and ids are free", async () => {
    const { item } = (await post(product({ sku: 'shared' }))).body
    const other = await shop.addMerchant()
    const response = await post(product({ sku: 'shared', id: item.id }), other.key)
    expect([response.status, response.body.item.id]).toEqual([201, item.id])
    expect((await get(`/${item.id}`)).body.item).toEqual(item)
  })
})
