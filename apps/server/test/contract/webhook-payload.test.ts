import { createHmac } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import { row } from '../support/api/contract.ts'
import { tooSmall } from '../support/api/merchant-api.ts'
import { askAs } from '../support/api/raw-requests.ts'
import { receiptBody } from '../support/api/receipts.ts'
import { logIn, newWallet } from '../support/api/sessions.ts'
import { type Received, startNotifiedApi } from '../support/api/webhooks.ts'
import { perFile } from '../support/per-file.ts'

const operator = newWallet()
const context = perFile(() => startNotifiedApi({ operatorWallets: [operator.wallet] }))
beforeAll(() => context.addSplit(context.merchant.wallet))
let count = 0

const hook = () => ({ webhook_url: `${context.receiver.url}/hook` })
async function paid(fields: object = {}): Promise<Received> {
  const id = await context.newReceipt({ ...hook(), ...fields })
  await context.takeForPaid(id)
  return one(id)
}
async function failed(): Promise<Received> {
  return one(await context.newFailedReceipt(hook()))
}
async function one(id: string): Promise<Received> {
  const [received] = await context.received(id, 1)
  if (!received) throw new Error('there is one')
  return received
}
const bodyOf = ({ body }: Received) => JSON.parse(body.toString())
const reports = async (field: string, value: unknown, fields: object = {}) =>
  expect(bodyOf(await paid(fields))[field]).toBe(value)
const carries = async (header: string, value: string) => expect((await paid()).headers[header]).toBe(value)
const hmac = (key: string, body: Buffer) => createHmac('sha256', key).update(body).digest('hex')

row('webhook-header.Content-Type', 'is application/json', () => carries('content-type', 'application/json'))

row('webhook-header.X-Service-Signature', 'is the HMAC of the body', async () => {
  const { headers, body } = await paid()
  expect(headers['x-service-signature']).toBe(`sha256=${hmac(context.merchant.key, body)}`)
})

row('webhook-header.X-Service-Event', 'is receipt.status_updated', async () => {
  for (const { headers } of [await paid(), await failed()])
    expect(headers['x-service-event']).toBe('receipt.status_updated')
})

row('webhook-header.X-Service-Delivery', 'is a UUID that differs for each delivery', async () => {
  const ids = [await paid(), await paid()].map(({ headers }) => headers['x-service-delivery'])
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(2)
})

row('webhook-header.X-Service-Idempotency-Key', 'is the same as in the body', async () => {
  for (const received of [await paid(), await failed()])
    expect(received.headers['x-service-idempotency-key']).toBe(bodyOf(received).idempotencyKey)
})

row('webhook-header.X-Service-Timestamp', 'is the time of sending in Unix milliseconds', async () => {
  expect((await paid()).headers['x-service-timestamp']).toBe(String(context.clock.now()))
})

row('webhook-header.User-Agent', 'is Service-Webhook/1.0', () => carries('user-agent', 'Service-Webhook/1.0'))

row(
  'webhook-header.brand',
  "uses the partner's prefix and agent, in addition to the standard headers",
  async () => {
    const session = await logIn(context, operator)
    const body = { brandKey: 'acme', theme: { brandName: 'Acme' }, domains: ['pay.acme.example'] }
    expect((await context.call('POST', '/api/site/config', { session, body })).status).toBe(200)
    const id = `branded-${++count}`
    const receipt = receiptBody(id, 3.5, hook())
    const assign = (brandKey: string) =>
      context.call('POST', '/api/site/merchants', {
        session,
        body: { merchantWallet: context.merchant.wallet, brandKey },
      })
    expect((await assign('acme')).status).toBe(200)
    const order = { key: context.merchant.key, body: receipt }
    expect((await askAs(`${context.url}/api/receipts`, 'elsewhere.example', order)).status).toBe(201)
    expect((await assign('service')).status).toBe(200)
    await context.takeForPaid(id)
    const { headers, body: sent } = await one(id)
    for (const name of ['signature', 'event', 'delivery', 'idempotency-key', 'timestamp'])
      expect(headers[`x-acme-${name}`], name).toBe(headers[`x-service-${name}`])
    expect(headers['user-agent']).toBe('Acme-Webhook/1.0')
    expect(JSON.parse(sent.toString()).brandKey).toBe('acme')
  },
)

row('signature.hmac', 'covers the exact bytes of the body', async () => {
  const { headers, body } = await paid({ metadata: { note: 'größer €', n: 1.1 } })
  expect(headers['x-service-signature']).toBe(`sha256=${hmac(context.merchant.key, body)}`)
  const other = Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 1))
  expect(headers['x-service-signature']).not.toBe(`sha256=${hmac(context.merchant.key, other)}`)
})

row('signature.key', 'is the API key that created the receipt, even after it is revoked', async () => {
  const { wallet } = context.merchant
  for (const which of ['key', 'secondaryKey'] as const) {
    const key = context.merchant[which]
    const id = `keyed-${++count}`
    const body = receiptBody(id, 3.5, hook())
    expect((await context.post('/api/receipts', body, { key })).status).toBe(201)
    await context.takeForPaid(id)
    const sent = await one(id)
    expect(sent.headers['x-service-signature']).toBe(`sha256=${hmac(key, sent.body)}`)
  }
  const { subscription, primaryKey } = (await context.postAsOwner('/api/subscriptions', { name: 'Brief' }))
    .body
  const body = receiptBody('revoked', 3.5, hook())
  await context.post('/api/receipts', body, { key: primaryKey })
  await context.call('DELETE', `/api/subscriptions/${subscription.id}`, { session: context.owner })
  await context.takeForPaid('revoked')
  const sent = await one('revoked')
  expect(sent.headers['x-service-signature']).toBe(`sha256=${hmac(primaryKey, sent.body)}`)
  expect(bodyOf(sent).merchantWallet).toBe(wallet)
})

row('signature.format', 'is sha256= and 64 lower-case hex digits', async () => {
  expect((await paid()).headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
})

row('event.name', 'is the same for every change', async () => {
  for (const received of [await paid(), await failed()])
    expect(bodyOf(received).event).toBe('receipt.status_updated')
})

row('webhook-body.event', 'is receipt.status_updated', () => reports('event', 'receipt.status_updated'))
row('webhook-body.receiptId', 'is the id that the client chose', () =>
  reports('receiptId', 'order-7', { id: 'order-7' }),
)

row('webhook-body.status', 'is the new status', async () => {
  expect([bodyOf(await paid()).status, bodyOf(await failed()).status]).toEqual(['paid', 'failed'])
})

row('webhook-body.previousStatus', 'is the previous status', async () => {
  const id = await context.newFailedReceipt(hook())
  await context.received(id, 1)
  await context.takeForPaid(id)
  const session = await context.logInOwner()
  const body = { receiptId: id, wallet: context.merchant.wallet, status: 'refund_requested' }
  expect((await context.call('POST', '/api/receipts/status', { session, body })).status).toBe(200)
  const reported = (await context.received(id, 3)).map(bodyOf)
  const byStatus = Object.fromEntries(reported.map(({ status, previousStatus }) => [status, previousStatus]))
  expect(byStatus).toEqual({ failed: 'pending', paid: 'failed', refund_requested: 'paid' })
})

row('webhook-body.failure-fields', 'are the four fields of a failure, and null otherwise', async () => {
  const { failureCode, failureCategory, failureReason, failureAction } = tooSmall
  const four = { failureCode, failureCategory, failureReason, failureAction }
  expect(bodyOf(await failed())).toMatchObject(four)
  const none = { failureCode: null, failureCategory: null, failureReason: null, failureAction: null }
  expect(bodyOf(await paid())).toMatchObject(none)
})

row('webhook-body.merchantWallet', "is the merchant's wallet", () =>
  reports('merchantWallet', context.merchant.wallet),
)

row('webhook-body.totalUsd', "is the merchant's total without fees, as a number", async () => {
  await charge(2)
  expect(bodyOf(await paid()).totalUsd).toBe(3.5)
  await charge(0)
})

row('webhook-body.customerTotalUsd', 'is the total with the processing fee', async () => {
  await charge(2)
  expect(bodyOf(await paid()).customerTotalUsd).toBe(3.57)
  await charge(0)
  expect(bodyOf(await paid()).customerTotalUsd).toBe(3.5)
})

row('webhook-body.token', "is the token that the buyer chose, otherwise the site's default", async () => {
  const session = await logIn(context, operator)
  const setDefault = (defaultPaymentToken: string) =>
    context.call('POST', '/api/site/config', { session, body: { defaultPaymentToken } })
  await setDefault('cbXRP')
  const id = await context.newReceipt(hook())
  expect((await context.ask(id, 'ETH')).status).toBe(201)
  await context.takeForPaid(id)
  expect(bodyOf(await one(id)).token).toBe('ETH')
  expect(bodyOf(await failed()).token).toBe('cbXRP')
  await setDefault('USDC')
})

row('webhook-body.transactionId', 'is the reference that was sent, or null', async () => {
  expect(bodyOf(await paid({ transactionId: 'T-1' })).transactionId).toBe('T-1')
  expect(bodyOf(await paid()).transactionId).toBeNull()
})

row('webhook-body.metadata', 'is the object that was sent, or null', async () => {
  const metadata = { order: 7, tags: ['a', 'b'], nested: { deep: true } }
  expect(bodyOf(await paid({ metadata })).metadata).toEqual(metadata)
  expect(bodyOf(await paid()).metadata).toBeNull()
})

row('webhook-body.brandKey', 'is the key of the brand: service for the default brand', () =>
  reports('brandKey', 'service'),
)

row('webhook-body.timestamp', 'is the time of the event in Unix milliseconds', async () => {
  expect(bodyOf(await paid()).timestamp).toBe(context.clock.now())
})

row(
  'webhook-body.failure-payload',
  'contains every field that the contract requires for failures',
  async () => {
    const body = bodyOf(await failed())
    expect(body).toEqual({
      event: 'receipt.status_updated',
      idempotencyKey: `receipt-status:${body.receiptId}:failed:none`,
      receiptId: body.receiptId,
      status: 'failed',
      previousStatus: 'pending',
      ...tooSmall,
      transactionHash: null,
      buyerWallet: null,
      merchantWallet: context.merchant.wallet,
      totalUsd: 0.99,
      customerTotalUsd: 0.99,
      token: 'USDC',
      providerSessionId: null,
      isProviderSessionUnique: false,
      transactionId: null,
      metadata: null,
      brandKey: 'service',
      timestamp: context.clock.now(),
      sequence: 2,
      paymentState: 'none',
    })
  },
)

async function charge(processingFeePct: number): Promise<void> {
  const session = await logIn(context, operator)
  const response = await context.call('POST', '/api/site/config', { session, body: { processingFeePct } })
  expect(response.status).toBe(200)
}
