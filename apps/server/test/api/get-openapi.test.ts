import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addApiDocument } from '../../src/app/api-document.ts'
import { makeHttp } from '../../src/app/http.ts'
import { inventoryRoutes } from '../../src/inventory/routes.ts'
import { systemRandom } from '../../src/kernel/random.ts'
import { orderRoutes } from '../../src/orders/routes.ts'
import { taxRoutes } from '../../src/orders/tax-routes.ts'
import { checkoutRoutes } from '../../src/payments/routes.ts'
import { makeLog } from '../../src/platform/log.ts'
import { splitRoutes } from '../../src/split/routes.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

let api: TestApi
let app: FastifyInstance

beforeAll(async () => {
  api = await startApi()
  const routes = [
    ...api.routes,
    ...inventoryRoutes({ ...api.needs, random: systemRandom }),
    ...orderRoutes(api.needs as never),
    ...taxRoutes(),
    ...splitRoutes(api.needs as never),
    ...checkoutRoutes(api.needs as never),
  ]
  app = makeHttp({ ...api.access, random: systemRandom, log: makeLog('silent') }, routes)
  await addApiDocument(app, routes, { baseUrl: 'https://pay.example.com', version: '1.2.3' })
})
afterAll(async () => {
  await app.close()
  await api.stop()
})

const read = async () => (await app.inject({ url: '/openapi.json' })).json()

test('the document passes the recommended rules without an error', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(await read()), config })
  const errors = problems.filter((problem) => problem.severity === 'error')
  expect(
    errors.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`),
  ).toEqual([])
})

test('every operation has a name of its own, a summary, a credential and the shape of its errors', async () => {
  const { paths } = await read()
  const operations = Object.values(paths).flatMap((path) => Object.values(path as object))
  const names = operations.map((operation) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const operation of operations) {
    expect(operation.summary).toBeTruthy()
    expect(operation.security.length).toBeGreaterThan(0)
    expect(operation.responses[500].content['application/json'].schema.$ref).toBe(
      '#/components/schemas/Error',
    )
  }
})

test('the body in the document is the schema that checks requests', async () => {
  const { paths } = await read()
  const { schema } = paths['/api/receipts'].post.requestBody.content['application/json']
  expect(schema.required).toEqual(['id', 'lineItems'])
  expect(schema.properties.lineItems.maxItems).toBe(500)
})

test('what is sent as CSV is said to be CSV', async () => {
  const { paths } = await read()
  expect(paths['/api/inventory/import'].post.requestBody.content).toHaveProperty(['text/csv'])
  expect(paths['/api/inventory/export'].get.responses[200].content).toHaveProperty(['text/csv'])
  expect(paths['/api/inventory'].get.security).toContainEqual({})
})

test('the page that shows it loads nothing from elsewhere', async () => {
  const page = await app.inject({ url: '/docs/' })
  expect(page.statusCode).toBe(200)
  expect(page.body).not.toMatch(/https?:\/\/(?!pay\.example\.com)/)
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect((await app.inject({ url: '/docs/js/scalar.js' })).statusCode).toBe(200)
})
