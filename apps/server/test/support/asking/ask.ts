import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { measureOwnMs } from '../programs/waited-for-processor.ts'

/** A request as it is to be sent, byte for byte where it matters. */
export type Question = {
  readonly method: string
  /** The request's target as it stands in the first line. */
  readonly target: string
  /** A list for a header that is sent more than once. */
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer | undefined
}

/** What came back, and how long it took, less what this process, which serves it too, stood in line for a processor. */
export type Reply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly ms: number
}

/** Asks one server over connections that are kept, without the corrections that `fetch` makes. */
export class Asker {
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 })
  /** How long each answer took, as a reply says it, in the order they came. */
  readonly times: number[] = []

  constructor(port: number) {
    this.#port = port
  }

  ask({ method, target, headers = {}, body }: Question): Promise<Reply> {
    const ownMs = measureOwnMs()
    const framing = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          agent: this.#agent,
          method,
          path: target,
          headers: { ...framing, ...headers },
        },
        (answer) => {
          const chunks: Buffer[] = []
          const end = () => {
            const ms = ownMs()
            this.times.push(ms)
            const text = Buffer.concat(chunks).toString('utf8')
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, ms })
          }
          // A stream of events does not end: what it begins with is the answer.
          if (answer.headers['content-type']?.startsWith('text/event-stream')) {
            answer.once('data', (chunk: Buffer) => {
              chunks.push(chunk)
              end()
              sent.destroy()
            })
            answer.on('error', () => {})
            return
          }
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', end)
          answer.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }

  /** The answer time that all but `1 - share` of the answers kept. */
  percentile(share: number): number {
    const sorted = [...this.times].sort((a, b) => a - b)
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }

  close(): void {
    this.#agent.destroy()
  }
}
