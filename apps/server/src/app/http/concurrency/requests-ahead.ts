import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Maximum pipelined requests, per connection and in total.
 *
 * Node stops reading only while responses are waiting to be sent. A request takes about 10 KB.
 */
const aheadLimits = { perConnection: 63, inAll: 1_024 } as const

const unanswered = Symbol('requests without an answer')

export class RequestsAhead {
  readonly #limits: { readonly perConnection: number; readonly inAll: number }
  #inAll = 0

  constructor(limits: { perConnection: number; inAll: number } = aheadLimits) {
    this.#limits = limits
  }

  /** Returns whether to handle a request. Closes the connection if the client pipelines too many requests. */
  admits(socket: Socket & { [unanswered]?: number }, response: ServerResponse): boolean {
    if (socket.destroyed) return false
    const before = socket[unanswered] ?? 0
    const isAhead = before > 0
    if (before > this.#limits.perConnection || (isAhead && this.#inAll >= this.#limits.inAll)) {
      socket.destroy()
      return false
    }
    socket[unanswered] = before + 1
    if (isAhead) this.#inAll++
    response.once('close', () => {
      socket[unanswered] = (socket[unanswered] ?? 1) - 1
      if (isAhead) this.#inAll--
    })
    return true
  }
}

/**
 * A request that stops the parser when its connection is destroyed.
 *
 * Node otherwise parses all received data, about a thousand requests per 64 KB, even on a destroyed
 * connection. Many connections would exhaust the memory. A protocol upgrade is the only event that stops the
 * parser.
 */
export class StoppableRequest extends IncomingMessage {
  // Node's constructor writes this field before the fields of this class exist.
  private declare asksForAnother: boolean | null

  get upgrade(): boolean | null {
    return this.asksForAnother || this.socket.destroyed
  }

  set upgrade(value: boolean | null) {
    this.asksForAnother = value
  }
}
