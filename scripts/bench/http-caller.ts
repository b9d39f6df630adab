import { connect, type Socket } from 'node:net'
import type { LoadRequest } from './works.ts'

/** An answer: its status, and its body as text where that is no 2xx. */
export type Answer = { readonly status: number; readonly text: string }

type Headers = Readonly<Record<string, string>>

const headEnd = Buffer.from('\r\n\r\n')
const readBytes = 64 * 1024

/**
 * One connection that is kept, over which requests go one after the other. It knows as much of HTTP as the answers of
 * the service need: whoever makes the load takes its processor time from what is measured.
 */
export class HttpCaller {
  readonly #socket: Socket
  readonly #host: string
  #headers: string
  #left = 0
  #status = 0
  #kept: Buffer[] = []
  #head: Buffer | undefined
  #done: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket, host: string, headers: Headers) {
    this.#socket = socket
    this.#host = host
    this.#headers = linesOf({ host, ...headers })
    socket.setNoDelay(true)
    for (const event of ['error', 'close'] as const)
      socket.on(event, (error?: unknown) => this.#fail(error instanceof Error ? error : new Error('hung up')))
  }

  /** @param headers - Sent with each request. */
  static open(url: string, headers: Headers): Promise<HttpCaller> {
    const { hostname, port, host } = new URL(url)
    return new Promise((resolve, reject) => {
      const onread = {
        // Of all reads: by default each gets 64 KB of its own, which this program would have to collect.
        buffer: Buffer.allocUnsafeSlow(readBytes),
        callback(count: number, buffer: Uint8Array) {
          caller.#take(Buffer.from(buffer.buffer, 0, count))
          return true
        },
      }
      const socket = connect({ port: Number(port), host: hostname, onread })
      const caller = new HttpCaller(socket, host, headers)
      socket.once('error', reject)
      socket.once('connect', () => resolve(caller))
    })
  }

  /** Sends these from the next request on, in place of those before. */
  changeHeaders(headers: Headers): void {
    this.#headers = linesOf({ host: this.#host, ...headers })
  }

  /** Sends a request, after the answer to the last. */
  ask({ method, path, headers, body }: LoadRequest): Promise<Answer> {
    const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
    return new Promise((resolve, reject) => {
      // A connection that ended between two requests says so once, and not to the next.
      if (this.#socket.destroyed) reject(new Error('hung up'))
      this.#done = { resolve, reject }
      const own = headers ? linesOf(headers) : ''
      this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#headers}${own}${length}\r\n${body ?? ''}`)
    })
  }

  close(): void {
    this.#done = undefined
    this.#socket.destroy()
  }

  /** @param chunk - The next read overwrites it. */
  #take(chunk: Buffer): void {
    let rest = chunk
    if (this.#left === 0) {
      if (this.#head) rest = Buffer.concat([this.#head, chunk])
      const end = rest.indexOf(headEnd)
      this.#head = end < 0 ? Buffer.from(rest) : undefined
      if (end < 0) return
      const head = rest.toString('latin1', 0, end)
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (length === undefined) this.#fail(new Error(`an answer without its length: ${head}`))
      this.#status = Number(head.slice(9, 12))
      this.#left = Number(length)
      rest = rest.subarray(end + headEnd.length)
    }
    this.#left -= rest.length
    if (this.#status >= 300) this.#kept.push(Buffer.from(rest))
    if (this.#left > 0) return
    const text = this.#kept.length > 0 ? Buffer.concat(this.#kept).toString() : ''
    this.#kept = []
    this.#left = 0
    this.#done?.resolve({ status: this.#status, text })
  }

  #fail(error: Error): void {
    this.#done?.reject(error)
  }
}

function linesOf(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
