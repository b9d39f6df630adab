import { expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { expectError, expectKeyErrors } from '../support/api/expect-errors.ts'
import { startMerchantApi } from '../support/api/merchant-api.ts'
import { newWallet } from '../support/api/sessions.ts'
import { perFile } from '../support/per-file.ts'

const context = perFile(startMerchantApi)
let count = 0

const product = (fields: object = {}) => ({ sku: `sku-${++count}`, name: 'Coffee', priceUsd: 3.5, ...fields })
const post = (body: unknown) => context.post('/api/inventory', body)
const stored = async (fields: object) => {
  const response = await post(product(fields))
  expect(response.status, response.text).toBe(201)
  return (await context.get(`/api/inventory/${response.body.item.id}`)).body.item
}
async function refuses(path: string, ...bodies: object[]): Promise<void> {
  const total = async () => (await context.get('/api/inventory?status=any')).body.total
  const before = await total()
  for (const body of bodies) {
    const response = await post(body)
    expectError(response, 400, 'invalid_input', JSON.stringify(body))
    expect(JSON.stringify(response.body.issues)).toContain(path)
  }
  expect(await total()).toBe(before)
}

row('inventory.sku', 'is required and identifies the product', async () => {
  expect((await stored({ sku: 'espresso-250g' })).sku).toBe('espresso-250g')
  await refuses('sku', product({ sku: undefined }), product({ sku: 7 }), product({ sku: '' }))
})

row('inventory.name', 'is required', async () => {
  expect((await stored({ name: 'Café crème' })).name).toBe('Café crème')
  await refuses('name', product({ name: undefined }), product({ name: 7 }), product({ name: '' }))
})

row('inventory.priceUsd', 'is required and must be a number that is not negative', async () => {
  for (const priceUsd of [0, 0.1, 19.99]) expect((await stored({ priceUsd })).priceUsd).toBe(priceUsd)
  for (const priceUsd of [undefined, '3.5', null, -0.01]) await refuses('priceUsd', product({ priceUsd }))
})

row('inventory.stockQty', 'is an integer of at least -1, and defaults to -1', async () => {
  for (const stockQty of [-1, 0, 12]) expect((await stored({ stockQty })).stockQty).toBe(stockQty)
  expect((await stored({})).stockQty).toBe(-1)
  for (const stockQty of [-2, 1.5, '1', null]) await refuses('stockQty', product({ stockQty }))
})

row('inventory.taxable', 'is a boolean and defaults to false', async () => {
  expect((await stored({ taxable: true })).taxable).toBe(true)
  expect((await stored({})).taxable).toBe(false)
  for (const taxable of ['true', 1, null]) await refuses('taxable', product({ taxable }))
})

row('get-inventory.answer', "lists only the merchant's own products", async () => {
  const other = await context.addMerchant()
  const body = product({ stockQty: 3, taxable: true })
  const made = await context.post('/api/inventory', body, { key: other.key })
  const response = await context.get('/api/inventory', { key: other.key })
  expect(response.status).toBe(200)
  expect(response.body).toEqual({ items: [made.body.item], total: 1, nextCursor: null })
  expect(made.body.item).toMatchObject(body)
  await post(product())
  expect((await context.get('/api/inventory', { key: other.key })).body.total).toBe(1)
})

row(
  'get-inventory.public',
  'identifies the merchant by wallet and returns only public products and fields',
  async () => {
    const { wallet, key } = await context.addMerchant()
    await context.post('/api/inventory', product({ sku: 'sold', costUsd: 1 }), { key })
    await context.post('/api/inventory', product({ sku: 'draft', status: 'draft' }), { key })
    for (const named of [wallet, wallet.toLowerCase()]) {
      const response = await context.call('GET', '/api/inventory', {
        headers: { 'x-merchant-wallet': named },
      })
      expect(response.status).toBe(200)
      expect(response.body.items.map(({ sku }: { sku: string }) => sku)).toEqual(['sold'])
      expect(response.body.items[0]).not.toHaveProperty('costUsd')
    }
    const bad = await context.call('GET', '/api/inventory', { headers: { 'x-merchant-wallet': '0x12' } })
    expectError(bad, 400, 'invalid_input')
    const nobody = { 'x-merchant-wallet': newWallet().wallet }
    expectError(await context.call('GET', '/api/inventory', { headers: nobody }), 404, 'not_found')
  },
)

row('get-inventory.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(context, { method: 'GET', path: '/api/inventory', table: 'product' }, 'inventory:read'),
)

row('post-inventory.answer', 'returns 201 for a new product and 200 for an updated one', async () => {
  const body = product({ stockQty: 5 })
  const made = await post(body)
  expect([made.status, made.body.ok]).toEqual([201, true])
  expect(made.body.item).toMatchObject(body)
  const changed = await post({ ...body, priceUsd: 4 })
  expect([changed.status, changed.body.ok]).toEqual([200, true])
  expect(changed.body.item).toMatchObject({ id: made.body.item.id, priceUsd: 4, stockQty: 5 })
})

row('post-inventory.400-missing', 'names each required field that is missing', async () => {
  await refuses('sku', { name: 'Coffee', priceUsd: 3.5 })
  await refuses('name', { sku: 'sku', priceUsd: 3.5 })
  await refuses('priceUsd', { sku: 'sku', name: 'Coffee' })
})

row('post-inventory.400-type', 'is returned for a string instead of a number, and for null', async () => {
  await refuses('priceUsd', product({ priceUsd: '3.50' }))
  await refuses('stockQty', product({ stockQty: null }))
  await refuses('taxable', product({ taxable: 'yes' }))
  for (const body of ['text', [], 7]) expectError(await post(JSON.stringify(body)), 400, 'invalid_input')
})

row('post-inventory.400-range', 'is returned for a negative price and for a stock below -1', async () => {
  await refuses('priceUsd', product({ priceUsd: -0.01 }))
  await refuses('stockQty', product({ stockQty: -2 }))
})

row('post-inventory.refusals', 'returns 401, 403, 429 and 500, each with its error code', () =>
  expectKeyErrors(
    context,
    { method: 'POST', path: '/api/inventory', body: product(), table: 'product' },
    'inventory:write',
  ),
)
