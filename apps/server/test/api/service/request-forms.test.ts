import { expect, test } from 'vitest'
import { ask } from '../../support/api/raw-requests.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { startShop } from '../../support/api/shop.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)
const merchant = perFile(() => shop.addMerchant())

const send = (method: string, target: string, body?: string, headers: Record<string, string> = {}) =>
  ask(new URL(shop.url).port, {
    method,
    target,
    body,
    headers: { 'ocp-apim-subscription-key': merchant.key, 'content-type': 'application/json', ...headers },
  })

test('HEAD is answered as GET, without the body: lists, one resource, files, and refusals', async () => {
  await shop.call('POST', '/api/receipts', { key: merchant.key, body: receiptBody('head') })
  for (const target of [
    '/api/receipts?limit=1',
    '/api/receipts/head',
    '/api/receipts/nothing',
    '/api/receipts/export',
    '/api/inventory/export',
    '/api/receipts?limit=0',
  ]) {
    const [get, head] = [await send('GET', target), await send('HEAD', target)]
    expect([target, head.status, head.text]).toEqual([target, get.status, ''])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
    expect(head.headers['x-ratelimit-limit']).toBe(get.headers['x-ratelimit-limit'])
    if (get.headers['content-length'] !== undefined)
      expect(head.headers['content-length']).toBe(get.headers['content-length'])
  }
  expect((await send('HEAD', '/api/events/stream')).status, 'a stream has no end').toBe(404)
})

test('a slash at the end of a path says nothing', async () => {
  expect((await send('GET', '/api/receipts/?limit=1')).status).toBe(200)
  expect(
    (await send('GET', `${shop.url}/api/receipts/?limit=1`, undefined, { host: new URL(shop.url).host }))
      .status,
  ).toBe(200)
  const body = JSON.stringify(receiptBody('slash'))
  expect((await send('POST', '/api/receipts/', body)).status).toBe(201)
})

test('a byte order mark before a body is left out', async () => {
  const body = `\uFEFF${JSON.stringify(receiptBody('marked'))}`
  expect((await send('POST', '/api/receipts', body)).status).toBe(201)
})

test('a field twice in one object is refused: nobody knows which of the two is meant', async () => {
  const body = JSON.stringify(receiptBody('twice')).replace('"totalUsd"', '"totalUsd":9,"totalUsd"')
  const { status, text } = await send('POST', '/api/receipts', body)
  expect([status, JSON.parse(text).message]).toEqual([400, 'The body has a field twice in one object'])
  expect((await send('GET', '/api/receipts/twice')).status).toBe(404)
})

test('a body of another content type is told the one that the endpoint takes', async () => {
  for (const [target, type] of [
    ['/api/inventory/import', 'text/csv'],
    ['/api/receipts', 'application/json'],
  ] as const)
    for (const sent of ['text/plain', 'application/vnd.ms-excel', 'application/x-www-form-urlencoded', '']) {
      const { status, text } = await send('POST', target, 'sku,name\n', { 'content-type': sent })
      expect([status, JSON.parse(text).message], sent).toEqual([400, `The body must be sent as ${type}`])
    }
})
