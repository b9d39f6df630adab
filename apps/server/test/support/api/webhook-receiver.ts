import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { type MerchantApi, startMerchantApi } from './merchant-api.ts'
import type { ApiOptions, TestApi } from './start-api.ts'
import { until } from './webhook-process.ts'

/** How the receiver behaves towards one request. */
export type Behaviour = number | 'hang' | 'close' | 'redirect' | 'huge' | 'drip'

/** A request as it came in. */
export type Received = {
  readonly at: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A merchant's endpoint: keeps every request and does what the test's script says. */
export type WebhookReceiver = {
  readonly url: string
  readonly received: Received[]
  behave: (request: Received) => Behaviour | Promise<Behaviour>
  close(): Promise<void>
}

/** Starts a receiver on this machine that answers 200 until told otherwise. `now` dates the requests. */
export async function startWebhookReceiver(now: () => number = Date.now): Promise<WebhookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = Buffer.concat(chunks)
      const received = { at: now(), path: request.url ?? '', headers: request.headers, body }
      receiver.received.push(received)
      answer(response, await receiver.behave(received))
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

function answer(response: ServerResponse, behaviour: Behaviour): void {
  if (typeof behaviour === 'number') response.writeHead(behaviour).end('{"ok":true}')
  else if (behaviour === 'close') response.destroy()
  else if (behaviour === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end()
  else if (behaviour === 'huge') pour(response)
  else if (behaviour === 'drip') drip(response)
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

/** A contract world whose webhooks are delivered, to a receiver that does as told. */
export type NotifiedApi = MerchantApi & Deliveries

/** The webhooks of an API, delivered to a receiver of the test's. */
export type Deliveries = {
  readonly receiver: WebhookReceiver
  /** What came for a receipt, oldest first, once there are `count` of them. */
  received(id: string, count: number): Promise<Received[]>
  /** Has what is due looked at now. */
  nudge(): void
}

/** Webhooks are sent as they fall due: for whatever starts an API. */
export const delivering = { webhooks: 'sent', running: [jobNames.deliverWebhooks] } as const

/** Starts it. Receipts that are to be told name `world.receiver.url` as their webhook. */
export async function startNotifiedApi(options: ApiOptions = {}): Promise<NotifiedApi> {
  const world = await startMerchantApi({ ...delivering, ...options })
  const { stop, ...deliveries } = await startDeliveries(world)
  return {
    ...world,
    ...deliveries,
    async stop() {
      await world.stop()
      await stop()
    },
  }
}

/** Hears the webhooks of an API that was started as {@link delivering}. */
export async function startDeliveries(
  api: Pick<TestApi, 'clock' | 'nudge'>,
): Promise<Deliveries & { stop(): Promise<void> }> {
  const { clock } = api
  const receiver = await startWebhookReceiver(() => clock.now())
  const nudge = () => api.nudge(jobNames.deliverWebhooks)
  const about = (id: string) =>
    receiver.received.filter(({ body }) => JSON.parse(body.toString()).receiptId === id)
  return {
    receiver,
    nudge,
    async received(id, count) {
      nudge()
      await until(clock, () => about(id).length >= count, `${count} webhooks about ${id}`)
      return about(id)
    },
    stop: () => receiver.close(),
  }
}
