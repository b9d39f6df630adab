import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../../../scripts/source/list-files.ts'
import { addApiDocument } from '../../../src/app/openapi/api-document.ts'
import { sampleBodies, sampleResponses } from '../../../src/app/openapi/samples.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'
import { holdToDocument } from '../../support/routes/hold-to-document.ts'

const site = { baseUrl: 'https://pay.sluice.example', version: '1.2.3' }
const api = perFile(() =>
  startApi({ extend: (app, routes, { parts }) => addApiDocument(app, routes, site, parts.random) }),
)

const read = async () => (await api.app.inject({ url: '/openapi.json' })).json()

type Operation = {
  tags: string[]
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>
}

test('every operation shows a response that it may give', async () => {
  const { paths } = await read()
  const merchant = await api.addMerchant()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods as Record<string, Operation>)) {
      const name = `${method.toUpperCase()} ${path}`
      const good = Object.entries(responses).filter(([status, { content }]) => status < '300' && content)
      const shown = good.flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, { example }]) => ({
          status: Number(status),
          type,
          body: example,
        })),
      )
      if (!('204' in responses)) expect(shown[0]?.body, name).toBeDefined()
      for (const { type, ...response } of shown) {
        if (type === 'application/json') holdToDocument(api.routes, [method.toUpperCase(), path], response)
        if (type !== 'text/csv') continue
        const text = await (await fetch(api.url + path, { headers: { 'x-api-key': merchant.key } })).text()
        expect(String(response.body).split('\r\n')[0], name).toBe(text.trim())
      }
    }
})

test('each main operation shows a request that its route takes, and its own sample as the response', async () => {
  const { paths } = await read()
  for (const [name, { status, body }] of Object.entries(sampleResponses)) {
    const [method = '', path = ''] = name.split(' ')
    const response = paths[path][method.toLowerCase()].responses[status].content['application/json']
    expect(response.example, name).toEqual(body)
  }
  for (const [name, body] of Object.entries(sampleBodies)) {
    const [method = '', path = ''] = name.split(' ')
    const route = api.routes.find((each) => each.method === method && each.path === path)
    expect(Value.Check(route?.body ?? Type.Never(), body), name).toBe(true)
    const [sent] = Object.values(paths[path][method.toLowerCase()].requestBody.content)
    expect(sent, name).toMatchObject({ example: body })
  }
})

test('it begins with receipts, and each of its tags is in one group', async () => {
  const { paths, tags, 'x-tagGroups': groups } = await read()
  expect(Object.keys(paths)[0]).toBe('/api/receipts')
  const names = tags.map(({ name }: { name: string }) => name)
  expect(groups.flatMap((group: { tags: string[] }) => group.tags)).toEqual(names)
  expect(new Set(names).size).toBe(names.length)
  const used = Object.values(paths).flatMap((methods) =>
    Object.values(methods as Record<string, Operation>).flatMap((operation) => operation.tags),
  )
  expect(new Set(used)).toEqual(new Set(names.filter((name: string) => name !== 'notifications')))
})

test('every operation is on a page of the reference, or on the page about its subject', async () => {
  const { paths } = await read()
  const pages = ['reference/api', 'access', 'webhooks'].map((name) =>
    readFileSync(join(repositoryRoot, `docs/${name}.md`), 'utf8'),
  )
  const lines = pages.join('\n').split('\n')
  const missing = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object)
      .filter((method) => !lines.some((line) => line.includes(method.toUpperCase()) && line.includes(path)))
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(missing).toEqual([])
})
