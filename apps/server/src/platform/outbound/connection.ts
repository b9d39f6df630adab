import type { Socket } from 'node:net'
import { type buildConnector, Client, type Dispatcher } from 'undici'

/** Begins to connect; what comes of it is told by the callback. */
export type Connect = (target: buildConnector.Options, callback: buildConnector.Callback) => Socket

/** Below what receivers keep an idle connection open for, so that none is reused while it closes. */
const idleSocketMs = 1_000
/** The client's own end of an idle connection comes with an error, whose stack costs more than the end: it comes later. */
const clientIdleMs = 2 * idleSocketMs

/** Of an answer; 16 KiB, as Node.js has it, is less than some receivers of webhooks send. */
const maxHeaderBytes = 64 * 1024

/**
 * One socket to a host, for one request after the other, until it ends. Its place at the host is free when the socket,
 * or the attempt to connect it, has really ended.
 *
 * A request that it was given and that is not written yet when the socket ends gets another one in the same place.
 */
export class Connection {
  readonly #client: Client
  readonly #whenEnded: () => void
  #socket: Socket | undefined
  #state: 'busy' | 'idle' | 'ending' | 'ended' = 'busy'
  #hasAnswered = false
  #idleTimer: NodeJS.Timeout | undefined

  constructor(origin: string, connect: Connect, whenEnded: (connection: Connection) => void) {
    this.#whenEnded = () => whenEnded(this)
    this.#client = new Client(origin, {
      connect: (target, callback) => this.#open(connect(target, callback)),
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: clientIdleMs,
      keepAliveMaxTimeout: clientIdleMs,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Whether its present socket has carried an answer before, and may have been closed since by its peer. */
  get isReused(): boolean {
    return this.#hasAnswered
  }

  get isEnding(): boolean {
    return this.#state === 'ending' || this.#state === 'ended'
  }

  /** Never throws: what is wrong with a request is told to its handler. */
  send(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#state = 'busy'
    clearTimeout(this.#idleTimer)
    this.#client.dispatch(request, handler)
  }

  /** Its request was answered in full. */
  rest(): void {
    this.#state = 'idle'
    this.#hasAnswered = true
    this.#idleTimer = setTimeout(() => this.#socket?.destroy(), idleSocketMs)
  }

  /** Breaks off what it does, be it connecting; safe to repeat. */
  end(error: Error): void {
    if (this.isEnding) return
    this.#state = 'ending'
    clearTimeout(this.#idleTimer)
    this.#client.destroy(error, () => {})
    // Of an attempt to connect the client knows no socket yet.
    if (this.#socket) this.#socket.destroy(error)
    else queueMicrotask(this.#leave)
  }

  #open(socket: Socket): void {
    this.#socket = socket
    this.#hasAnswered = false
    socket.once('close', () => {
      this.#socket = undefined
      clearTimeout(this.#idleTimer)
      // The client is yet to see it, and to tell the request or to connect anew.
      if (this.#state !== 'busy') this.#leave()
    })
  }

  readonly #leave = () => {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#whenEnded()
  }
}
