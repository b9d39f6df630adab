import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { measureOwnMs } from '../programs/waited-for-processor.ts'
import type { Answer } from './call-api.ts'

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

/** Sends a request under another name in `Host`, which `fetch` would not let a test say; a POST where it has a body. */
export function askAs(
  url: string,
  host: string | undefined,
  { key, body }: { readonly key?: string; readonly body?: object } = {},
): Promise<Pick<Answer, 'status' | 'body'>> {
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
    ...(host !== undefined && { host }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: body ? 'POST' : 'GET', headers }, async (answer) => {
      let text = ''
      for await (const part of answer.setEncoding('utf8')) text += part
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) })
    })
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

const patienceMs = 2_000

/**
 * Sends bytes to a server of this process and gives back the first answer as it came, and how long it took, less what
 * the process stood in line for a processor. What takes longer than two seconds, or than is said, is cut off and has no
 * answer.
 */
export function exchange(
  port: number,
  bytes: Buffer,
  limitMs = patienceMs,
): Promise<{ text: string; ms: number }> {
  const ownMs = measureOwnMs()
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ text, ms: ownMs() })
    }
    const timer = setTimeout(end, limitMs)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      text = text.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
      if (isWhole(bytes, text)) end()
    })
    socket.on('error', end)
    socket.on('close', end)
    socket.write(bytes)
  })
}

function isWhole(asked: Buffer, text: string): boolean {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  return (
    (asked.subarray(0, 5).toString() === 'HEAD ' && text.includes('\r\n\r\n')) ||
    head.includes('HTTP/1.1 204') ||
    /event-stream/.test(head) ||
    (length !== undefined && body.length >= Number(length))
  )
}
