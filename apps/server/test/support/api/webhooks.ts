import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { webhookIdempotencyKey } from '@sluice/protocol/api/webhook-body.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { systemRandom } from '../../../src/kernel/random.ts'
import type { Database } from '../../../src/platform/database/database.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { apiKeyContext, Secrets } from '../../../src/platform/secrets.ts'
import { enqueueDelivery } from '../../../src/webhooks/enqueue-delivery.ts'
import { registerSecrets } from '../secrets/secret-register.ts'
import { startMerchantApi } from './merchant-api.ts'
import type { ApiOptions, TestApi } from './start-api.ts'

export type Behaviour = number | 'hang' | 'close' | 'redirect' | 'huge' | 'drip' | 'broken' | 'wordy'

export type Received = {
  readonly at: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A merchant's webhook endpoint. It records every request and responds as `behave` specifies. */
export type WebhookReceiver = {
  readonly url: string
  readonly received: Received[]
  behave: (request: Received) => Behaviour | Promise<Behaviour>
  close(): Promise<void>
}

/** Starts a receiver that responds with 200 by default. `now` provides the time of each request. */
export async function startWebhookReceiver(now: () => number = Date.now): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks)
      const received = { at: now(), path: request.url ?? '', headers: request.headers, body }
      receiver.received.push(received)
      respond(response, await receiver.behave(received))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    behave: () => 200,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return receiver
}

function respond(response: ServerResponse, behaviour: Behaviour): void {
  if (typeof behaviour === 'number') response.writeHead(behaviour).end('{"ok":true}')
  else if (behaviour === 'close') response.destroy()
  else if (behaviour === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end()
  else if (behaviour === 'huge') pour(response)
  else if (behaviour === 'drip') drip(response)
  else if (behaviour === 'broken')
    response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy())
  else if (behaviour === 'wordy') response.writeHead(200, { 'x-trace': 'a'.repeat(40_000) }).end()
}

function pour(response: ServerResponse): void {
  response.writeHead(200)
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  }
  response.on('drain', more)
  more()
}

function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 5)
  response.on('close', () => clearInterval(timer))
}

export const delivering = { webhooks: 'sent', running: [jobNames.deliverWebhooks] } as const

/** Starts a merchant's API that delivers to `receiver.url`, if a receipt has this URL as its webhook URL. */
export async function startNotifiedApi(options: ApiOptions = {}) {
  const api = await startMerchantApi({ ...delivering, ...options })
  const { stop, ...deliveries } = await startDeliveries(api)
  return {
    ...api,
    ...deliveries,
    async stop() {
      await api.stop()
      await stop()
    },
  }
}

export async function startDeliveries({ clock, nudge: run }: Pick<TestApi, 'clock' | 'nudge'>) {
  const receiver = await startWebhookReceiver(() => clock.now())
  const nudge = () => run(jobNames.deliverWebhooks)
  const about = (id: string) =>
    receiver.received.filter(({ body }) => JSON.parse(body.toString()).receiptId === id)
  return {
    receiver,
    nudge,
    /** Waits for `count` webhooks about a receipt. Returns them oldest first. */
    async received(id: string, count: number) {
      nudge()
      await until(clock, () => about(id).length >= count, `${count} webhooks about ${id}`)
      return about(id)
    },
    stop: () => receiver.close(),
  }
}

export const webhookMasterKey = 'a master key for tests that is long enough'
const secrets = new Secrets(webhookMasterKey, systemRandom)

let merchantCount = 0

export function makeWebhookMerchant() {
  merchantCount += 1
  const hex = (BigInt(process.pid) * 1_000_000n + BigInt(merchantCount)).toString(16).padStart(40, '0')
  const wallet = parseWallet(`0x${hex}`) as Wallet
  const keyId = `key-${merchantCount}`
  const apiKey = `sk_test_${merchantCount}-of-${process.pid}`
  registerSecrets(apiKey)
  return { wallet, keyId, apiKey, encryptedKey: secrets.encrypt(apiKey, apiKeyContext(wallet, keyId)) }
}

export async function enqueueMessage(
  db: Database,
  clock: { now(): UnixMs },
  merchant: ReturnType<typeof makeWebhookMerchant>,
  message: { url: string; subject?: string; sequence?: bigint; body?: string },
): Promise<string> {
  const {
    url,
    subject = 'R-1',
    sequence = 1n,
    body = JSON.stringify({ subject, note: 'größer €' }),
  } = message
  const { wallet, keyId, encryptedKey } = merchant
  const idempotencyKey = webhookIdempotencyKey(subject, 'paid', `0x${sequence}`)
  const owed = { subject, brandKey: 'service', url, idempotencyKey, sequence, body }
  const now = () => clock.now()
  return db.transaction(async (tx) => {
    await tx.run(addMerchant, [wallet])
    return enqueueDelivery(
      { tx, clock: { now, after: () => () => {} }, random: systemRandom },
      { merchant: wallet, keyId, encryptedKey, ...owed },
    )
  })
}

const addMerchant = {
  name: 'test-add-webhook-merchant',
  text: `INSERT INTO merchant (merchant, name, created_at) VALUES ($1, '', 0) ON CONFLICT DO NOTHING`,
}

/** Waits until a condition outside this process is true. Meanwhile, runs the timers of the test's clock. */
export async function until(
  clock: { advance(ms: number): Promise<void> },
  isSo: () => boolean | Promise<boolean>,
  what: string,
  /** Milliseconds that the clock advances between two checks. */
  stepMs = 0,
): Promise<void> {
  const patience = Date.now() + 60_000
  while (!(await isSo())) {
    if (Date.now() > patience) throw new Error(`waited in vain: ${what}`)
    await clock.advance(stepMs)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
