import { describe, expect, test } from 'vitest'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { startShop } from '../../support/api/shop.ts'
import type { TestMerchant } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

const shop = perFile(startShop)

type File = string | Uint8Array<ArrayBuffer>
const send = (merchant: TestMerchant, body: File, headers: Record<string, string> = {}) =>
  fetch(`${shop.url}/api/inventory/import`, {
    method: 'POST',
    headers: { 'ocp-apim-subscription-key': merchant.key, 'content-type': 'text/csv', ...headers },
    body,
  })
const upload = async (...file: Parameters<typeof send>): Promise<Pick<ApiResponse, 'status' | 'body'>> => {
  const response = await send(...file)
  return { status: response.status, body: await response.json() }
}
const follow = async (merchant: TestMerchant, body: string): Promise<ApiResponse['body'][]> => {
  const response = await send(merchant, body, { accept: 'application/x-ndjson' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  const lines = (await response.text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}
const download = (merchant: TestMerchant, query = '') =>
  fetch(`${shop.url}/api/inventory/export${query}`, { headers: { 'x-api-key': merchant.key } })
const list = async (merchant: TestMerchant) =>
  (await shop.call('GET', '/api/inventory?sort=sku&status=any', { key: merchant.key })).body

describe('POST /api/inventory/import', () => {
  test('takes a file of semicolons with decimal commas as spreadsheets of Europe write it', async () => {
    const merchant = await shop.addMerchant()
    const csv =
      '\uFEFFsku;name;priceUsd;stockQty;tags\r\ntea;"Tea; green";12,50;4;hot|leaf\r\nmug;Mug, large;3;;\r\n'
    const response = await upload(merchant, csv)
    expect(response.body).toEqual({ ok: true, created: 2, updated: 0, ignoredColumns: [] })
    const { items } = await list(merchant)
    expect(items).toMatchObject([
      { sku: 'mug', name: 'Mug, large', priceUsd: 3, stockQty: -1 },
      { sku: 'tea', name: 'Tea; green', priceUsd: 12.5, stockQty: 4, tags: ['hot', 'leaf'] },
    ])
  })

  test('guesses no price: what could be thousands or a fraction is an issue of its row', async () => {
    const merchant = await shop.addMerchant()
    const response = await upload(merchant, 'sku;name;priceUsd\na;A;1.234\nb;B;1,234\nc;C;1234,00\n')
    expect(response.status).toBe(400)
    expect(response.body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'rows/2/priceUsd',
      'rows/3/priceUsd',
    ])
  })

  test('makes what is new, changes what is there, and says how many', async () => {
    const merchant = await shop.addMerchant()
    await shop.addProduct(merchant, { sku: 'b', name: 'Old', description: 'kept', stockQty: 9 })
    const csv = 'sku,name,priceUsd,stockQty,Colour\r\na,"Tea, green",2.50,\r\nb,New,"3",4,red\r\n'
    const response = await upload(merchant, csv.replace('2.50,\r', '2.50,,\r'))
    const body = { ok: true, created: 1, updated: 1, ignoredColumns: ['Colour'] }
    expect(response).toEqual({ status: 200, body })
    const { items } = await list(merchant)
    expect(items).toMatchObject([
      { sku: 'a', name: 'Tea, green', priceUsd: 2.5, stockQty: -1 },
      { sku: 'b', name: 'New', priceUsd: 3, stockQty: 4, description: 'kept' },
    ])
  })

  test('one faulty row and nothing changes; each fault is told by row and column', async () => {
    const merchant = await shop.addMerchant()
    const csv = [
      'sku,name,priceUsd,stockQty,taxable,images,attributes',
      'good,Good,1,1,true,,',
      'bad,,x,-5,maybe,http://a.example,"[1]"',
      'short,Short',
      'good,Twice,1,,,,',
      'neg,Neg,-1,,,ftp://a.example,',
    ].join('\n')
    const { status, body } = await upload(merchant, csv)
    expect([status, body.error]).toEqual([400, 'invalid_input'])
    const paths = body.issues.map((issue: { path: string }) => issue.path)
    const faulty = ['rows/3/priceUsd', 'rows/3/taxable', 'rows/4', 'rows/5/sku', 'rows/6/priceUsd']
    expect(paths).toEqual(expect.arrayContaining(faulty))
    expect(body.issueCount).toBe(body.issues.length)
    expect((await list(merchant)).total).toBe(0)
  })

  test('the sku of one product with the id of another is a fault of its row', async () => {
    const merchant = await shop.addMerchant()
    await shop.addProduct(merchant, { sku: 'x', id: 'one' })
    const { status, body } = await upload(merchant, 'id,sku,name,priceUsd\n,y,Y,1\ntwo,x,X,1\n')
    const issue = { path: 'rows/3/sku', message: 'sku x belongs to the product with the id one' }
    expect([status, body.issues]).toEqual([400, [issue]])
    expect((await list(merchant)).total).toBe(1)
  })

  test.each([
    ['an empty file', ''],
    ['a header alone', 'sku,name,priceUsd\n'],
    ['a column missing', 'sku,name\na,b\n'],
    ['a column twice', 'sku,name,priceUsd,sku\na,b,1,c\n'],
    ['a quote that is not closed', 'sku,name,priceUsd\n"a,b,1\n'],
    ['a NUL', 'sku,name,priceUsd\na,b\0,1\n'],
    ['a NUL in attributes', 'sku,name,priceUsd,attributes\na,b,1,"{""x"":""\\u0000""}"\n'],
    ['a price in another spelling', 'sku,name,priceUsd\na,b,1e3\n'],
    ['more than 8 MiB', `sku,name,priceUsd\n${'x'.repeat(8 * 1024 * 1024)},b,1\n`],
    ['more than 25,000 products', `sku,name,priceUsd\n${'a,b,1\n'.repeat(25_001)}`],
  ])('400 invalid_input for %s', async (_name, csv) => {
    const { status, body } = await upload(await shop.addMerchant(), csv)
    expect([status, body.error]).toEqual([400, 'invalid_input'])
  })

  test('400 for what is not UTF-8, and for JSON', async () => {
    const merchant = await shop.addMerchant()
    const latin = Uint8Array.from(Buffer.from('sku,name,priceUsd\na,Caf\xe9,1\n', 'latin1'))
    expect((await upload(merchant, latin)).status).toBe(400)
    expect((await upload(merchant, '{"sku":"a"}', { 'content-type': 'application/json' })).status).toBe(400)
    const plain = { 'content-type': 'text/plain' }
    expect((await upload(merchant, 'sku,name,priceUsd\na,b,1\n', plain)).status).toBe(400)
  })

  test('CSV is read here and nowhere else', async () => {
    const merchant = await shop.addMerchant()
    const headers = { 'content-type': 'text/csv' }
    const response = await shop.call('POST', '/api/inventory', { key: merchant.key, headers, body: 'a,b' })
    expectApiError(response, 400, 'invalid_input')
  })

  test('a file of 20,041 products is taken, and the export of them gives the same, in one file of 1.8 MB', async () => {
    const merchant = await shop.addMerchant()
    const count = 20_041
    const rows = Array.from({ length: count }, (_, i) => `sku-${i},Product number ${i},${i}.25,${i % 7}`)
    const csv = `sku,name,priceUsd,stockQty\n${rows.join('\n')}\n`
    expect((await upload(merchant, csv)).body).toMatchObject({ created: count, updated: 0 })
    const response = await download(merchant)
    expect(response.headers.get('x-next-cursor')).toBeNull()
    const exported = await response.text()
    expect(exported.length).toBeGreaterThan(1.7e6)
    expect((await upload(merchant, exported)).body).toMatchObject({ created: 0, updated: count })
    expect((await list(merchant)).total).toBe(count)
  })

  test('tells a caller who asks how far a long file is, and the result last', async () => {
    const merchant = await shop.addMerchant()
    const rows = Array.from({ length: 5_000 }, (_, i) => `p-${i},Product ${i},1`)
    const lines = await follow(merchant, `sku,name,priceUsd\n${rows.join('\n')}\n`)
    expect(lines.at(-1)).toEqual({ ok: true, created: 5_000, updated: 0, ignoredColumns: [] })
    const steps = lines.slice(0, -1)
    expect(new Set(steps.map(({ stage }) => stage))).toEqual(new Set(['checking', 'writing']))
    for (const stage of ['checking', 'writing']) {
      const done = steps.filter((step) => step.stage === stage).map((step) => step.done)
      expect(done).toEqual(done.toSorted((a: number, b: number) => a - b))
    }
    expect(steps.every(({ total }) => total === 5_000)).toBe(true)
    expect((await list(merchant)).total).toBe(5_000)
  })

  test('tells what is wrong with a file that is followed in the last line, and changes nothing', async () => {
    const merchant = await shop.addMerchant()
    const lines = await follow(merchant, 'sku,name,priceUsd\na,A,1\nb,B,x\n')
    expect(lines.at(-1)).toMatchObject({ error: 'invalid_input', issues: [{ path: 'rows/3/priceUsd' }] })
    expect((await list(merchant)).total).toBe(0)
  })

  test('with an Idempotency-Key is one answer, that a repeat gets again', async () => {
    const merchant = await shop.addMerchant()
    const headers = { accept: 'application/x-ndjson', 'idempotency-key': 'spring-list' }
    const sendOnce = () => send(merchant, 'sku,name,priceUsd\na,A,1\n', headers)
    const [first, again] = [await sendOnce(), await sendOnce()]
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.text()).toBe(await first.text())
  })

  test('files that race put every product once', async () => {
    const merchant = await shop.addMerchant()
    const file = (order: 1 | -1) => {
      const rows = Array.from({ length: 200 }, (_, i) => `s${i},P${i},1`)
      return `sku,name,priceUsd\n${(order > 0 ? rows : rows.toReversed()).join('\n')}\n`
    }
    const responses = await Promise.all([1, -1, 1, -1].map((order) => upload(merchant, file(order as 1))))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(responses.reduce((sum, { body }) => sum + body.created, 0)).toBe(200)
    expect((await list(merchant)).total).toBe(200)
  })
})

describe('GET /api/inventory/export', () => {
  const products = [
    {
      sku: ' spaced ',
      name: 'He said "hi", twice',
      description: 'two\r\nlines',
      priceUsd: 1.5,
      stockQty: 0,
      taxable: true,
      category: 'a,b',
      tags: ['x y', 'z'],
      images: ['https://a.example/1.png', 'https://a.example/2.png?a=1,2', 'https://a.example/4'],
      attributes: { a: { b: [1, 'zwei'] }, c: null },
      costUsd: 0.75,
      status: 'draft',
    },
    { sku: '=1+1', name: 'Ünïcode 😀', priceUsd: 1_000_000_000 },
  ]

  test('gives a file that brings the same products back, here and in another shop', async () => {
    const merchant = await shop.addMerchant()
    for (const fields of products) await shop.addProduct(merchant, fields)
    await shop.addProduct(merchant, { sku: 'gone', id: 'gone' })
    await shop.call('DELETE', '/api/inventory/gone', { key: merchant.key })
    const response = await download(merchant)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain('attachment')
    const csv = await response.text()

    const before = await list(merchant)
    const body = { name: 'changed', description: 'changed', tags: ['changed'], attributes: { changed: 1 } }
    for (const { id, status } of before.items)
      if (status !== 'archived') await shop.call('PATCH', `/api/inventory/${id}`, { key: merchant.key, body })
    expect((await upload(merchant, csv)).body).toMatchObject({ created: 0, updated: 2 })
    expect(await list(merchant)).toEqual(before)

    const other = await shop.addMerchant()
    expect((await upload(other, csv)).body).toMatchObject({ created: 2, updated: 0 })
    expect(await (await download(other)).text()).toBe(csv)
  })

  test('gives a catalogue that is larger than an import takes in several files, each of which can be imported', async () => {
    const merchant = await shop.addMerchant()
    const description = '😀'.repeat(1_999)
    const skus = Array.from({ length: 1_100 }, (_, i) => `sku-${i}`)
    for (const part of [skus.slice(0, 550), skus.slice(550)]) {
      const rows = part.map((sku) => `${sku},${sku},1,${description}`)
      expect((await upload(merchant, `sku,name,priceUsd,description\n${rows.join('\n')}`)).status).toBe(200)
    }
    const other = await shop.addMerchant()
    const files: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const response: Response = await download(merchant, cursor && `?cursor=${cursor}`)
      const csv = await response.text()
      cursor = response.headers.get('x-next-cursor')
      files.push(csv)
      expect((await upload(other, csv)).body).toMatchObject({ ok: true, updated: 0 })
    }
    expect(files).toHaveLength(2)
    const { total, items } = await list(other)
    expect([total, items[0].description]).toEqual([1_100, description])
  })

  test('a merchant without products gets the header', async () => {
    const csv = await (await download(await shop.addMerchant())).text()
    expect(csv.trimEnd().split('\r\n')).toHaveLength(1)
    expect(csv).toContain('sku,name,description,priceUsd')
  })
})
