import { gunzipSync } from 'node:zlib'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { Sluice } from '../../../../../packages/sdk/src/sluice.ts'
import type { Route } from '../../../src/access/route.ts'
import { addApiDocument } from '../../../src/app/openapi/api-document.ts'
import { patternTexts } from '../../../src/kernel/text/schema-issues.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const site = { baseUrl: 'https://pay.sluice.example', version: '1.2.3' }
let registered: readonly Route[] = []
const api = perFile(() =>
  startApi({
    extend(app, routes, { parts }) {
      registered = routes
      addApiDocument(app, routes, site, parts.random)
    },
  }),
)

const read = async () => (await api.app.inject({ url: '/openapi.json' })).json()

test('the document passes the strict rules without an error', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const errors = await lintFromString({ source: JSON.stringify(await read()), config })
  const reported = errors.map(
    ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`,
  )
  expect(reported).toEqual([])
})

test('every operation has a name of its own, a summary, a credential and the shape of its errors', async () => {
  const { paths } = await read()
  const operations = Object.values(paths).flatMap((path) => Object.values(path as object))
  const names = operations.map((operation) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const operation of operations) {
    expect(operation.summary).toBeTruthy()
    expect(operation.security.length).toBeGreaterThan(0)
    if (operation.operationId === 'getHealthz') continue
    const { 429: limited, 500: failed } = operation.responses
    expect(limited.headers).toHaveProperty(['Retry-After'])
    expect(failed.content['application/json'].schema.$ref).toBe('#/components/schemas/FailedError')
  }
})

test('every pattern that a request is held to has words for who breaks it', () => {
  const found = new Set<string>()
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [name, value] of Object.entries(schema))
      if (name === 'pattern' && typeof value === 'string') found.add(value)
      else walk(value)
  }
  for (const { body, query, params } of registered) walk([body, query, params])
  expect(found.size).toBeGreaterThan(10)
  expect([...found].filter((pattern) => !(pattern in patternTexts))).toEqual([])
})

test('every endpoint of the contract is in it', async () => {
  const { paths } = await read()
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(endpoints).toEqual(expect.arrayContaining(contractEndpoints))
})

test('the client package calls every operation that a key may call, and nothing else', async () => {
  const { paths } = await read()
  const keyed: string[] = []
  const open: string[] = []
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { security, deprecated }] of Object.entries(methods as Record<string, Operation>)) {
      const operation = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, 'x')}`
      if (security.some((each) => 'subscriptionKey' in each) && !deprecated) keyed.push(operation)
      if (security.some((each) => Object.keys(each).length === 0)) open.push(operation)
    }
  const called = await callEverything()
  expect(keyed.length).toBeGreaterThan(30)
  expect(keyed.filter((operation) => !called.includes(operation))).toEqual([])
  expect(called.filter((operation) => ![...keyed, ...open].includes(operation))).toEqual([])
})

type Operation = { security: object[]; deprecated?: boolean }

async function callEverything(): Promise<string[]> {
  const called: string[] = []
  const sluice = new Sluice({
    baseUrl: site.baseUrl,
    key: 'sk_test_x',
    retry: { count: 0 },
    async fetch(url, init) {
      called.push(`${init?.method} ${new URL(String(url)).pathname}`)
      return Response.json({ error: 'not_found', message: 'x' }, { status: 404 })
    },
  })
  for (const resource of [sluice, ...Object.values(sluice)] as Record<string, unknown>[])
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(resource))) {
      const method = resource[name]
      if (name === 'constructor' || typeof method !== 'function') continue
      const result = method.call(resource, ['follow', 'stream'].includes(name) ? {} : 'x')
      const isIterable = !(result instanceof Promise)
      await (isIterable ? result[Symbol.asyncIterator]().next() : result).catch(() => {})
    }
  return called
}

test('the body in the document is the schema that checks requests', async () => {
  const { paths, components } = await read()
  const { schema } = paths['/api/receipts'].post.requestBody.content['application/json']
  expect(schema).toEqual({ $ref: '#/components/schemas/CreateReceiptRequest' })
  const { required, properties } = components.schemas.CreateReceiptRequest
  expect(required).toEqual(['id', 'lineItems'])
  expect(properties.lineItems.maxItems).toBe(500)
  expect(properties.currency.enum).toEqual(['USD', 'EUR'])
  expect(properties.customerFirstName).toMatchObject({ deprecated: true, maxLength: 200 })
})

test('a field that is judged after the schema has its type, and is required where it is', async () => {
  const { paths } = await read()
  const bodyOf = (path: string) => paths[path].post.requestBody.content['application/json'].schema
  const status = bodyOf('/api/receipts/status')
  expect(status.required).toEqual(['receiptId', 'wallet', 'status'])
  expect(status.properties.status.type).toBe('string')
  const refund = bodyOf('/api/receipts/refund')
  expect(refund.required).toEqual(['receiptId', 'wallet', 'buyer', 'usd'])
  expect(refund.properties.usd.type).toBe('number')
  const terminal = bodyOf('/api/receipts/terminal')
  expect(terminal.required).toBeUndefined()
  expect(terminal.properties.amountUsd.type).toBe('number')
})

test('what is asked in a query has the type it stands for', async () => {
  const { paths } = await read()
  const parameter = (path: string, name: string) =>
    paths[path].get.parameters.find((each: { name?: string }) => each.name === name)
  const limit = { type: 'integer', minimum: 1, maximum: 200, default: 100 }
  expect(parameter('/api/receipts', 'limit').schema).toEqual(limit)
  expect(parameter('/api/receipts/status', 'receiptId').required).toBe(true)
  expect(parameter('/api/inventory', 'stock').schema.enum).toEqual(['in', 'out', 'any'])
})

test('each error answer names the codes it may have and what they bring along', async () => {
  const { paths, components } = await read()
  const codesOf = (path: string, status: number) => {
    const { schema } = paths[path].post.responses[status].content['application/json']
    return Object.keys(schema.discriminator?.mapping ?? { [schema.$ref]: '' })
  }
  const ofOrders = ['items_required', 'inventory_item_not_found', 'inventory_item_unavailable']
  expect(codesOf('/api/orders', 400)).toEqual(expect.arrayContaining(ofOrders))
  expect(codesOf('/api/orders', 403)).toEqual(['forbidden', 'split_required'])
  expect(codesOf('/api/receipts', 503)).toEqual(['exchange_rate_unavailable', 'datastore_unavailable'])
  expect(codesOf('/api/split/withdraw', 410)).toEqual(['#/components/schemas/DeprecatedError'])
  expect(components.schemas.RateLimitedError.required).toEqual(['error', 'message', 'resetAt'])
})

test('nothing in it is left without a type but what merchants fill themselves', async () => {
  const free = new Set(['metadata', 'attributes', 'detail', 'details', 'data'])
  const bare: string[] = []
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) {
      if (name === 'example') continue
      const isProperty = /\/(properties|schemas)$/.test(path)
      const isSchema = isProperty || name === 'schema' || name === 'items'
      const isBare = !['type', '$ref', 'enum', 'const', 'allOf', 'anyOf', 'oneOf'].some(
        (key) => key in Object(part),
      )
      if (isSchema && isBare && !free.has(name)) bare.push(`${path}/${name}`)
      walk(part, `${path}/${name}`)
    }
  }
  walk(await read(), '')
  expect(bare).toEqual([])
})

test('the answer of every write with a body has room for what was ignored of it', async () => {
  const { paths, components } = await read()
  const warned = { $ref: '#/components/schemas/Warned' }
  const writes = api.routes.filter(
    ({ method, body, intake }) => method !== 'GET' && body && intake?.type !== 'text/csv',
  )
  expect(writes.length).toBeGreaterThan(15)
  for (const { method, path, document } of writes) {
    const { responses } = paths[path][method.toLowerCase()]
    const good = Object.keys(responses).filter((status) => status.startsWith('2'))
    expect(good.length, path).toBeGreaterThan(0)
    for (const status of document?.responseType ? [] : good)
      expect(responses[status].content['application/json'].schema.allOf, `${method} ${path}`).toContainEqual(
        warned,
      )
  }
  expect(components.schemas.Warned.properties.warnings).toMatchObject({
    type: 'array',
    maxItems: 20,
    items: { $ref: '#/components/schemas/FieldWarning' },
  })
  const { schema } = paths['/api/receipts'].get.responses[200].content['application/json']
  expect(schema).toEqual({ $ref: '#/components/schemas/ReceiptList' })
})

test('the webhook is in it with its headers, and an event of the feed is typed as its body', async () => {
  const { webhooks, components } = await read()
  const { post } = webhooks['receipt.status_updated']
  const body = { $ref: '#/components/schemas/WebhookBody' }
  expect(post.requestBody.content['application/json'].schema).toEqual(body)
  const names = ['Signature', 'Event', 'Delivery', 'Idempotency-Key', 'Timestamp']
  const sent: string[] = post.parameters.map((each: { name: string }) => each.name)
  expect(sent).toEqual(names.map((name) => `X-Service-${name}`))
  const { properties, required } = components.schemas.WebhookBody
  const optional = ['customerTotalUsd', 'providerSourceAmountUsd']
  expect(Object.keys(properties).filter((name) => !required.includes(name))).toEqual(optional)
  const asJson = { contentMediaType: 'application/json', contentSchema: body }
  expect(components.schemas.FeedEvent.properties.body).toMatchObject(asJson)
})

test('what is sent as CSV is said to be CSV', async () => {
  const { paths } = await read()
  expect(paths['/api/inventory/import'].post.requestBody.content).toHaveProperty(['text/csv'])
  expect(paths['/api/inventory/export'].get.responses[200].content).toHaveProperty(['text/csv'])
  expect(paths['/api/inventory'].get.security).toContainEqual({})
})

test('the page that shows it loads nothing from elsewhere', async () => {
  const page = await api.app.inject({ url: '/docs/api' })
  expect(page.statusCode).toBe(200)
  expect(page.body).not.toMatch(/https?:\/\/(?!pay\.sluice\.example)/)
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  const script = /<script src="([^"]+)"/.exec(page.body)?.[1] ?? 'none'
  const inflate = async (encoding: string) =>
    api.app.inject({ url: script, headers: { 'accept-encoding': encoding } })
  const [plain, packed] = [await inflate('identity'), await inflate('gzip')]
  expect([plain.statusCode, packed.statusCode]).toEqual([200, 200])
  // The service caches both encodings. A stream that decompresses per request would have no `Content-Length`.
  expect(plain.headers['content-length']).toBe(String(gunzipSync(packed.rawPayload).byteLength))
})

const contractEndpoints = [
  ['GET /healthz', 'GET /api/inventory', 'POST /api/inventory', 'POST /api/orders'],
  [
    'GET /api/split/deploy',
    'GET /api/split/transactions',
    'POST /api/split/deploy',
    'POST /api/split/withdraw',
  ],
  ['GET /api/receipts', 'POST /api/receipts', 'GET /api/receipts/{id}'],
  ['GET /api/receipts/status', 'POST /api/receipts/status', 'POST /api/receipts/refund'],
  ['POST /api/receipts/terminal', 'GET /api/terminal/check-payment'],
  ['GET /api/shop/config', 'POST /api/shop/config', 'GET /api/site/config'],
].flat()
