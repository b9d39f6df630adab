import { describe, expect, test } from 'vitest'
import { receiptBody } from '../../support/api/receipts.ts'
import { logIn } from '../../support/api/sessions.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startApi)
const merchant = perFile(() => api.addMerchant())
const owner = perFile(() => logIn(api, merchant))

const receipt = (id: string, more: object = {}) => receiptBody(id, 1, more)
const create = (body: object, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/receipts', { key: merchant.key, body, headers })

describe('a field of a body that nobody reads', () => {
  test('is accepted, named in the answer, and the one that was meant with it', async () => {
    const response = await create(receipt('w-1', { webhookURL: 'https://shop.example.com/hook', zzz: 1 }))
    expect(response.status).toBe(201)
    expect(response.body.webhookUrl).toBeNull()
    const message = 'is not a field of this request and was ignored'
    expect(response.body.warnings).toEqual([
      { path: 'webhookURL', message, didYouMean: 'webhook_url' },
      { path: 'zzz', message, didYouMean: null },
    ])
  })

  test('is found in lists and in objects, and not where any name is right', async () => {
    const lineItems = [{ label: 'Tea', priceUsd: 1, quantity: 2 }]
    const { body } = await create({ ...receipt('w-2', { metadata: { webhookURL: 1 } }), lineItems })
    expect(body.warnings.map(({ path }: { path: string }) => path)).toEqual(['lineItems/0/quantity'])
    const change = { theme: { primaryColour: '#fff' } }
    const shop = await api.call('POST', '/api/shop/config', { session: owner, body: change })
    const meant = { path: 'theme/primaryColour', didYouMean: 'theme/primaryColor' }
    expect(shop.body.warnings).toMatchObject([meant])
  })

  test('is nothing to tell of where every field is known', async () => {
    expect(await create(receipt('w-3'))).toMatchObject({ status: 201, body: { id: 'w-3' } })
    expect((await create(receipt('w-4'))).body).not.toHaveProperty('warnings')
  })

  test('is told again, byte for byte, to who sends the request again with its key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await create(receipt('w-5', { webhookURL: 'x' }), headers)
    const again = await create(receipt('w-5', { webhookURL: 'x' }), headers)
    expect([again.headers.get('idempotency-replayed'), again.text]).toEqual(['true', first.text])
  })

  test('is told of twenty at most, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`unknown${i}`, i]))
    expect((await create(receipt('w-6', many))).body.warnings).toHaveLength(20)
  })
})
