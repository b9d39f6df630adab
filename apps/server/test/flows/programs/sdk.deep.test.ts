import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  type FollowedEvent,
  NotFoundError,
  Sluice,
  verifyWebhook,
  type WebhookEvent,
} from '../../../../../packages/sdk/src/sluice.ts'
import { listen } from '../../support/api/outbound.ts'
import { startWebhookReceiver } from '../../support/api/webhooks.ts'
import { perFile } from '../../support/per-file.ts'
import { startLocalService } from '../../support/service/local-service.ts'

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
  expect(await sluice.orders.get(first.id)).toMatchObject({ totalUsd: 2, stock: 'reserved' })
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

  const reported: WebhookEvent[] = []
  for (const { body, headers } of receiver.received)
    reported.push(await verifyWebhook(body, headers, { keys: ['sk_test_old', service.subscriptionKey] }))
  expect(reported.map(({ status }) => status)).toEqual(['paid', 'reconciled'])
  expect(reported[0]).toMatchObject({
    receiptId: 'sdk-sale',
    previousStatus: 'pending',
    metadata: { table: 4 },
  })

  const events: FollowedEvent[] = []
  for await (const entry of sluice.events.follow({ until: 'end' })) events.push(entry)
  expect(events.map(({ number }) => number)).toEqual(events.map((_, i) => i + 1))
  const own = events.filter(({ receiptId }) => receiptId === 'sdk-sale')
  expect(own.map(({ event }) => event)).toEqual(reported)
  expect(own.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    reported.map((message) => message.idempotencyKey),
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
