import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import {
  type FollowedEvent,
  NotFoundError,
  Sluice,
  verifyWebhook,
  type WebhookEvent,
} from '../../../../../packages/sdk/src/sluice.ts'
import { readPage } from '../../../../../scripts/guide/read-blocks.ts'
import { listen } from '../../support/api/outbound.ts'
import { startWebhookReceiver } from '../../support/api/webhooks.ts'
import { perFile } from '../../support/per-file.ts'
import { makeTemporaryFolder } from '../../support/programs/temporary-folder.ts'
import { startLocalService } from '../../support/service/local-service.ts'

const root = new URL('../../../../../', import.meta.url).pathname
const run = promisify(execFile)

const service = perFile(startLocalService)
const receiver = perFile(startWebhookReceiver)
const sluice = perFile(() => new Sluice({ baseUrl: service.baseUrl, key: service.subscriptionKey }))

test('a product is made, changed, listed and archived', async () => {
  const product = await sluice.products.put({ sku: 'sdk-beans', name: 'Beans', priceUsd: 12, stockQty: 5 })
  const changed = await sluice.products.change(product.id, { priceUsd: 13 })
  expect(changed).toMatchObject({ priceUsd: 13, stockQty: 5 })
  expect((await sluice.products.list({ q: 'sdk-beans', stock: 'in' })).body.total).toBe(1)
  expect(await sluice.products.exportCsv()).toContain('sdk-beans')
  expect(await sluice.products.importCsv('sku,name,priceUsd\nsdk-tea,Tea,4\n')).toMatchObject({ created: 1 })
  const skus: string[] = []
  for await (const { sku } of sluice.products.list({ q: 'sdk-', limit: 1, sort: 'sku' })) skus.push(sku)
  expect(skus).toEqual(['sdk-beans', 'sdk-tea'])
  await sluice.products.archive(product.id)
  expect(await sluice.products.get(product.id)).toMatchObject({ status: 'archived' })
})

test('a receipt is cancelled, and what is asked of its payment is answered', async () => {
  await sluice.receipts.create({ id: 'sdk-cancel', lineItems: [{ label: 'Tea', amount: 4 }] })
  expect(await sluice.receipts.checkPayment('sdk-cancel')).toMatchObject({ paid: false, status: 'pending' })
  expect(await sluice.receipts.cancel('sdk-cancel')).toMatchObject({ ok: true, id: 'sdk-cancel' })
  expect(await sluice.receipts.getMoney('sdk-cancel')).toMatchObject({ payments: [], paymentsOmitted: 0 })
  for (const open of [sluice.payments.exportCsv(), sluice.split.exportTransactionsCsv()])
    expect(await new Response(await open).text()).toMatch(/^[\w ,]+\r?\n/)
})

test('an order under one Idempotency-Key is made once', async () => {
  await sluice.products.put({ sku: 'sdk-once', name: 'One', priceUsd: 1, stockQty: 3 })
  const request = { items: [{ sku: 'sdk-once', qty: 2 }], jurisdictionCode: 'US-CA' }
  const first = await sluice.orders.create(request, { idempotencyKey: 'sdk-once' })
  expect(await sluice.orders.create(request, { idempotencyKey: 'sdk-once' })).toEqual(first)
  expect(await sluice.orders.get(first.id)).toMatchObject({ totalUsd: 2, stock: 'held' })
  const apiError = { code: 'inventory_item_unavailable', body: { left: 1 } }
  await expect(sluice.orders.create(request)).rejects.toMatchObject(apiError)
  for await (const order of sluice.orders.list()) expect(order.id).toBe(first.id)
})

test.each([
  '#1001',
  'a/b',
  '50%25?x=1&y#z',
  '注文-7',
])('a receipt that its merchant calls %s is made, read, polled and shown to its buyer', async (id) => {
  const lineItems = [{ label: 'Tea', priceUsd: 2 }]
  const made = await sluice.receipts.create({ id, lineItems, totalUsd: 2 })
  expect(made.id).toBe(id)
  expect(await sluice.receipts.get(id)).toMatchObject({ receiptId: id, status: 'pending' })
  expect(await sluice.receipts.getStatus(id)).toMatchObject({ id, status: 'pending', amount: 2 })
  expect((await sluice.webhooks.listDeliveries({ receiptId: id })).data).toEqual([])
  const shown = await fetch(made.paymentUrl)
  expect([shown.status, new URL(shown.url).pathname]).toEqual([200, new URL(made.paymentUrl).pathname])
})

test('everything else that a key may read is read', async () => {
  expect(await sluice.isAlive()).toBe(true)
  expect(await sluice.getShop()).toMatchObject({ slug: 'demo' })
  expect(await sluice.getSite()).toHaveProperty('theme')
  expect((await sluice.split.get()).deployed).toBe(true)
  expect((await sluice.listFailureCodes()).data.length).toBeGreaterThan(20)
  expect((await sluice.listTaxRates()).data.length).toBeGreaterThan(50)
  expect((await sluice.payments.listUnmatched({ state: 'all' })).data).toEqual([])
  expect((await sluice.payments.listQuestions()).data).toEqual([])
  expect((await sluice.split.listVersions({ limit: 1 })).data).toMatchObject([{ state: 'in_force' }])
  expect(await sluice.getPoints(service.merchant.address)).toMatchObject({ receipts: 0 })
  await expect(sluice.receipts.get('not-there')).rejects.toThrow(NotFoundError)
  const visitor = new Sluice({
    baseUrl: service.baseUrl,
    key: null,
    merchantWallet: service.merchant.address,
  })
  expect((await visitor.products.list()).data.every((item) => !('costUsd' in item))).toBe(true)
})

test('receipts are exported as they are read, and a timeline has everything in order', async () => {
  await sluice.receipts.create({ id: 'sdk-told', lineItems: [{ label: 'Tea', amount: 4 }] })
  const csv = await new Response(await sluice.receipts.exportCsv({ q: 'sdk-told' })).text()
  expect(csv.trim().split(/\r?\n/)).toEqual([
    expect.stringMatching(/^receiptId,status,/),
    expect.stringMatching(/^sdk-told,pending,/),
  ])
  const wrong = sluice.receipts.exportCsv({ status: 'nothing' })
  await expect(wrong).rejects.toMatchObject({ status: 400, code: 'invalid_input' })
  const { receiptId, entries, omitted } = await sluice.receipts.getTimeline('sdk-told')
  expect([receiptId, omitted, entries[0]?.kind]).toEqual(['sdk-told', 0, 'created'])
  await expect(sluice.receipts.getTimeline('sdk-nobody')).rejects.toBeInstanceOf(NotFoundError)
})

test('the stream brings each event as it happens, goes on where it was cut, and ends with its signal', async () => {
  const stop = new AbortController()
  const cut: ReadableStreamDefaultController<Uint8Array>[] = []
  const cutting: typeof fetch = async (...request) => {
    const response = await fetch(...request)
    const reader = response.body?.getReader()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void cut.push(controller),
      async pull(controller) {
        const read = await reader?.read()
        if (read?.value) controller.enqueue(read.value)
        else controller.close()
      },
    })
    return new Response(body, { status: response.status, headers: response.headers })
  }
  const options = { baseUrl: service.baseUrl, key: service.subscriptionKey }
  const cuttable = new Sluice({ ...options, fetch: cutting })
  const seen: FollowedEvent[] = []
  const listening = (async () => {
    const { body } = await sluice.events.list({ limit: 1 })
    for await (const each of cuttable.events.stream({
      after: body.last,
      signal: stop.signal,
      reconnectMs: 10,
    }))
      seen.push(each)
  })()
  const paid = () => seen.filter(({ event }) => event.status === 'paid').map(({ receiptId }) => receiptId)
  for (const id of ['sdk-live-1', 'sdk-live-2']) {
    await expect.poll(() => cut.length).toBeGreaterThan(0)
    await sluice.receipts.create({ id, lineItems: [{ label: 'Tea', amount: 4 }] })
    await service.pay(id)
    await expect.poll(paid).toContain(id)
    cut.pop()?.error(new TypeError('the connection was cut'))
  }
  expect(paid()).toEqual(['sdk-live-1', 'sdk-live-2'])
  const numbers = seen.map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i))
  stop.abort(new Error('enough'))
  await expect(listening).rejects.toThrow('enough')
  const revoked = new Sluice({ ...options, key: 'sk_test_wrong' })
  await expect(revoked.events.stream().next()).rejects.toMatchObject({ status: 401 })
})

test('a sale from receipt to reconciled: status, webhooks with both signatures, and the feed, agree', async () => {
  const made = await sluice.receipts.create({
    id: 'sdk-sale',
    lineItems: [{ label: 'Coffee', amount: 5 }],
    webhook_url: `${receiver.url}/hook`,
    metadata: { table: 4 },
  })
  expect(made.status).toBe('pending')
  await service.pay('sdk-sale')
  const paid = await sluice.receipts.waitForStatus('sdk-sale', ['paid'], { pollMs: 100 })
  expect(paid).toMatchObject({ currency: 'USDC', amount: 5 })
  await sluice.receipts.waitForStatus('sdk-sale', ['reconciled'], { pollMs: 100 })
  await expect.poll(() => receiver.received.length).toBe(2)

  const told: WebhookEvent[] = []
  for (const { body, headers } of receiver.received)
    told.push(await verifyWebhook(body, headers, { keys: ['sk_test_old', service.subscriptionKey] }))
  expect(told.map(({ status }) => status)).toEqual(['paid', 'reconciled'])
  expect(told[0]).toMatchObject({ receiptId: 'sdk-sale', previousStatus: 'pending', metadata: { table: 4 } })

  const events: FollowedEvent[] = []
  for await (const entry of sluice.events.follow({ until: 'end' })) events.push(entry)
  expect(events.map(({ number }) => number)).toEqual(events.map((_, i) => i + 1))
  const own = events.filter(({ receiptId }) => receiptId === 'sdk-sale')
  expect(own.map(({ event }) => event)).toEqual(told)
  expect(own.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    told.map((message) => message.idempotencyKey),
  )

  const deliveries: string[] = []
  for await (const { state } of sluice.webhooks.listDeliveries({ receiptId: 'sdk-sale', limit: 1 }))
    deliveries.push(state)
  expect(deliveries).toEqual(['delivered', 'delivered'])
  const transactions: string[] = []
  for await (const { receiptId } of sluice.split.listTransactions({ limit: 1 })) transactions.push(receiptId)
  expect(transactions).toContain('sdk-sale')
})

test('the service grades a receiver that verifies with this package as faultless', async () => {
  const seen = new Set<string>()
  const url = await startVerifyingReceiver(seen)
  expect(await sluice.webhooks.test(url)).toMatchObject({ ok: true, errors: [] })
})

/** The webhook endpoint of docs/sdk.md. */
async function startVerifyingReceiver(seen: Set<string>) {
  const server = createServer(async (request, response) => {
    try {
      const event = await sluice.webhooks.verify(await buffer(request), request.headers)
      seen.add(event.idempotencyKey)
      response.writeHead(204).end()
    } catch {
      response.writeHead(400).end()
    }
  })
  return `http://127.0.0.1:${await listen(server)}/hook`
}

test('the package compiles strictly in an empty folder under each resolution, and runs on plain Node', async () => {
  const folder = await makeTemporaryFolder('sdk-package')
  onTestFinished(() => folder.remove())
  await run('npm', ['pack', '--pack-destination', folder.path], { cwd: join(root, 'packages/sdk') })
  const [archive = ''] = await readdir(folder.path)
  const app = join(folder.path, 'app')
  await mkdir(app)
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(folder.path, archive)]
  await run('npm', install, { cwd: app })
  const installed = await readdir(join(app, 'node_modules'))
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@sluice'])
  const packed = await readdir(join(app, 'node_modules/@sluice/sdk'))
  expect(packed.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])

  await writeFile(join(app, 'shop.ts'), shop)
  const examples = await findExamples()
  expect(examples.length).toBeGreaterThan(15)
  for (const [i, code] of examples.entries()) await writeFile(join(app, `example-${i}.ts`), code)
  await writeFile(join(app, 'reader.d.ts'), whatReadersHave)
  const flags = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--target',
    'es2022',
  ]
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const files = ['shop.ts', 'reader.d.ts', ...examples.map((_, i) => `example-${i}.ts`)]
  for (const resolution of [
    ['--module', 'esnext', '--moduleResolution', 'bundler', '--outDir', 'bundler'],
    ['--module', 'node16', '--moduleResolution', 'node16', '--outDir', 'node16'],
  ]) {
    const compile = [...flags, ...types, ...resolution, ...files]
    const { stdout: errors } = await run(join(root, 'node_modules/.bin/tsc'), compile, { cwd: app }).catch(
      (error) => error,
    )
    expect(errors, resolution[1] as string).toBe('')
  }
  for (const node of await findNodes()) {
    const environment = { SLUICE_URL: service.baseUrl, SLUICE_KEY: service.subscriptionKey }
    const { stdout } = await run(node, ['node16/shop.js'], { cwd: app, env: environment })
    expect(JSON.parse(stdout)).toEqual({
      status: 'pending',
      name: 'NotFoundError',
      events: true,
      listed: true,
    })
  }
  const { stderr } = await run(process.execPath, ['--enable-source-maps', 'node16/shop.js'], {
    cwd: app,
    env: { SLUICE_URL: service.baseUrl },
  }).catch((error) => error)
  expect(stderr).toMatch(/TypeError: SLUICE_KEY is not set[\s\S]*sdk\/src\/options\.ts:\d+/)
})

/** Returns every example of the guide, the README and the comments. */
async function findExamples(): Promise<string[]> {
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const guides = ['README.md', 'docs/sdk.md', 'packages/sdk/README.md']
  const sources = (await readdir(join(root, 'packages/sdk/src'))).filter((name) => !name.endsWith('.test.ts'))
  const texts = await Promise.all(sources.map((name) => read(`packages/sdk/src/${name}`)))
  return [
    ...guides
      .flatMap((page) => readPage(page).filter(({ language }) => language === 'ts'))
      .map(({ text }) => text),
    ...texts
      .flatMap((text) => [...text.matchAll(/@example\n((?: *\* .*\n)+)/g)])
      .map(([, lines = '']) => lines.replaceAll(/^ *\* /gm, '')),
  ].map((code) => `${code}\nexport {}`)
}

/** Declares the names that the examples do not define. */
const whatReadersHave = `
declare const Sluice: typeof import('@sluice/sdk').Sluice
declare const verifyWebhook: typeof import('@sluice/sdk').verifyWebhook
declare const sluice: import('@sluice/sdk').Sluice
declare const store: import('@sluice/sdk').CheckpointStore
declare const db: { one(sql: string): Promise<{ number: number; hash: string }>; run(...all: unknown[]): Promise<void> }
declare const [key, oldKey]: [string, string]
declare const signal: AbortSignal
declare const rawBody: Uint8Array
declare const request: import('node:http').IncomingMessage
declare function book(event: import('@sluice/sdk').WebhookEvent): Promise<void>
declare function writeFile(path: string, data: AsyncIterable<Uint8Array>): Promise<void>
`

/** The first program of an integrator. */
const shop = `import { NotFoundError, type Receipt, Sluice } from '@sluice/sdk'

const sluice = new Sluice()
const id: string = 'package-' + process.version
await sluice.receipts.create({ id, lineItems: [{ label: 'Coffee', amount: 5 }] })
const { status } = await sluice.receipts.getStatus(id)
const error: unknown = await sluice.orders.get('not-there').catch((thrown: unknown) => thrown)
let events = true
for await (const entry of sluice.events.follow({ until: 'end' })) events &&= entry.event.receiptId !== ''
const receipts: Receipt[] = []
for await (const receipt of sluice.receipts.list({ q: id, limit: 1 })) receipts.push(receipt)
const name = error instanceof NotFoundError ? error.name : ''
console.log(JSON.stringify({ status, name, events, listed: receipts.some(({ receiptId }) => receiptId === id) }))
`

/** Returns the Node that runs the tests, and Node 20 if the machine has it. */
async function findNodes(): Promise<string[]> {
  const others = ['/usr/bin/node', '/usr/local/bin/node']
  const versionOf = async (path: string) => (await run(path, ['--version']).catch(() => undefined))?.stdout
  const versions = await Promise.all(others.map(versionOf))
  return [process.execPath, ...others.filter((_, i) => versions[i]?.startsWith('v20.'))]
}
