import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import {
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../../../packages/sdk/src/sluice.ts'

export type VerifyingReceiver = {
  readonly url: string
  /** The accepted events in order, including repeated deliveries. */
  readonly events: WebhookEvent[]
  readonly refused: () => number
  /** The verification key. The receiver rejects everything until a test sets it. */
  key: string
  close(): Promise<void>
}

export async function startVerifyingReceiver(): Promise<VerifyingReceiver> {
  let refusedCount = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const event = await verifyWebhook(Buffer.concat(chunks), request.headers, { keys: receiver.key }).catch(
      (error: unknown) => {
        if (error instanceof WebhookVerificationError) return undefined
        throw error
      },
    )
    if (event) receiver.events.push(event)
    else refusedCount += 1
    response.writeHead(event ? 204 : 401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: VerifyingReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    events: [],
    refused: () => refusedCount,
    key: '',
    async close() {
      server.closeAllConnections()
      await promisify(server.close.bind(server))()
    },
  }
  return receiver
}
