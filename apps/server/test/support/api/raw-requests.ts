import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { measureOwnMs } from '../programs/waited-for-processor.ts'
import type { ApiResponse } from './call-api.ts'

/** A request, sent without the corrections that `fetch` makes. */
export type Question = {
  readonly method: string
  readonly target: string
  /** A list sends the header several times. */
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer | undefined
}

/** A response. This process also runs the server, so `ms` excludes the time that it waited for a CPU. */
export type Reply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly ms: number
}

export function ask(
  port: number | string,
  { method, target, headers = {}, body }: Question,
  agent?: Agent,
): Promise<Reply> {
  const ownMs = measureOwnMs()
  const framing = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      agent,
      method,
      path: target,
      headers: { ...framing, ...headers },
    }
    const sent = request(options, (response) => {
      const chunks: Buffer[] = []
      const end = () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, ms: ownMs() })
      }
      // An event stream does not end, so its first chunk counts as the response.
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.once('data', (chunk: Buffer) => {
          chunks.push(chunk)
          end()
          sent.destroy()
        })
        response.on('error', () => {})
        return
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', end)
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export class Asker {
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 })
  /** Milliseconds of each response, in the order of the responses. */
  readonly times: number[] = []

  constructor(port: number) {
    this.#port = port
  }

  async ask(question: Question): Promise<Reply> {
    const reply = await ask(this.#port, question, this.#agent)
    this.times.push(reply.ms)
    return reply
  }

  /** Returns the response time in milliseconds that `share` of the responses did not exceed. */
  percentile(share: number): number {
    const sorted = [...this.times].sort((a, b) => a - b)
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Sends a request with another `Host`, which `fetch` does not allow. Sends a POST if there is a body. */
export async function askAs(
  url: string,
  host: string | undefined,
  { key, body }: { readonly key?: string; readonly body?: object } = {},
): Promise<Pick<ApiResponse, 'status' | 'body'>> {
  const { port, pathname, search } = new URL(url)
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
    ...(host !== undefined && { host }),
  }
  const { status, text } = await ask(port, {
    method: body ? 'POST' : 'GET',
    target: pathname + search,
    headers,
    body: body && JSON.stringify(body),
  })
  return { status, body: JSON.parse(text) }
}

const patienceMs = 2_000

/**
 * Sends raw bytes to a server in this process. Returns the raw response, or the part received within
 * `limitMs`.
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
