import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'

export type ReceivedEvent = {
  readonly at: UnixMs
  readonly receiptId: string
  readonly status: string
  readonly idempotencyKey: string
  readonly isGenuine: boolean
}

export type Receiver = {
  readonly url: string
  trust(apiKey: string): void
  find(receiptId: string, status: string): ReceivedEvent | undefined
  stop(): Promise<void>
}

export async function startReceiver(clock: Clock): Promise<Receiver> {
  let apiKey = ''
  const messages: ReceivedEvent[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const body = JSON.parse(raw.toString()) as { receiptId: string; status: string; idempotencyKey: string }
      const isGenuine = isSigned(raw, request.headers['x-service-signature'], apiKey)
      messages.push({
        at: clock.now(),
        receiptId: body.receiptId,
        status: body.status,
        idempotencyKey: body.idempotencyKey,
        isGenuine: isGenuine && request.headers['x-service-idempotency-key'] === body.idempotencyKey,
      })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    trust(key) {
      apiKey = key
    },
    find: (receiptId, status) =>
      messages.find((message) => message.receiptId === receiptId && message.status === status),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function isSigned(raw: Buffer, header: string | string[] | undefined, apiKey: string): boolean {
  const sent = /^sha256=([0-9a-f]{64})$/.exec(typeof header === 'string' ? header : '')?.[1]
  if (!sent) return false
  return timingSafeEqual(Buffer.from(sent, 'hex'), createHmac('sha256', apiKey).update(raw).digest())
}
