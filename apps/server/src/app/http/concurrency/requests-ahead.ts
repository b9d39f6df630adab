import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * How many requests may wait for their answers behind another of their connection: of one connection, and of all
 * together. Node itself stops reading only when answers wait to be sent. A request takes some ten kilobytes.
 */
const aheadLimits = { perConnection: 63, inAll: 1_024 } as const

const unanswered = Symbol('requests without an answer')

/** Counts the requests that connections send without waiting for the answers to those before. */
export class RequestsAhead {
  readonly #limits: { readonly perConnection: number; readonly inAll: number }
  #inAll = 0

  constructor(limits: { perConnection: number; inAll: number } = aheadLimits) {
    this.#limits = limits
  }

  /** Whether a request may be looked at; a connection that has sent too many ahead is ended, with all that it sent. */
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
 * A request that ends the reading of its connection where that has been ended. Node parses whatever has arrived, which
 * is a thousand short requests in 64 KB, and makes a request and a response for each, for a connection that is
 * destroyed as well; with thousands of connections that is more memory than there is, before any of them closes. It
 * stops at what asks for another protocol, which no parser of HTTP can read on.
 */
export class StoppableRequest extends IncomingMessage {
  // Node's own constructor writes it, before any field of this class is there.
  private declare asksForAnother: boolean | null

  get upgrade(): boolean | null {
    return this.asksForAnother || this.socket.destroyed
  }

  set upgrade(value: boolean | null) {
    this.asksForAnother = value
  }
}
