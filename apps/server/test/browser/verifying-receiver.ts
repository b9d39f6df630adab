import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import {
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from '../../../../packages/sdk/src/sluice.ts'

/** A merchant's program that takes only deliveries the client package finds genuine. */
export type VerifyingReceiver = {
  readonly url: string
  /** The events it took, in order; each delivery of one again. */
  readonly events: WebhookEvent[]
  /** How many requests it refused. */
  readonly refused: () => number
  /** The key it verifies with; until it is given one it refuses everything. */
  key: string
  close(): Promise<void>
}

/** Starts one on this machine. */
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
