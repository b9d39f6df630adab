import { Agent } from 'undici'
import { readInput } from '../read-input.ts'
import { doesHang, receiverHost } from './receiver-hosts.ts'

/** What is sent without a service: as many requests as webhooks, with the same headers and a body as long. */
export type RawInput = {
  readonly port: number
  readonly receivers: number
  readonly count: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** So many at once at most, as the service. */
  readonly atOnce: number
}

// A program of its own: undici's agent with the bounds of the service and nothing around it. Prints when it began.
const { port, receivers, count, headers, body, atOnce } = readInput<RawInput>()
const agent = new Agent({ connections: 4, pipelining: 1, keepAliveTimeout: 1_000, headersTimeout: 5_000 })
let next = 0

const startedAt = Date.now()
await Promise.all(Array.from({ length: Math.min(atOnce, count) }, keepSending))
await agent.destroy()
console.log(JSON.stringify(startedAt))

async function keepSending(): Promise<void> {
  while (next < count) {
    const n = next++
    const receiver = n % receivers
    const request = agent.request({
      origin: `http://${receiverHost(receiver)}:${port}`,
      path: '/hook',
      method: 'POST',
      headers: { ...headers, 'webhook-id': `raw-${n}` },
      body,
    })
    if (doesHang(receiver)) await request.catch(() => {})
    else await (await request).body.dump()
  }
}
