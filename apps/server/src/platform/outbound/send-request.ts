// biome-ignore lint/style/noRestrictedImports: this is the outbound client
import type { Dispatcher, Pool } from 'undici'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { nextTurn } from '../../kernel/turns/semaphore.ts'
import type { Hosts } from './hosts.ts'
import { RefusedAddress } from './make-connector.ts'
import type { OutboundOutcome, OutboundRequest } from './outbound.ts'

/**
 * A connection attempt continues for about six seconds after the timeout. A request that takes longer is
 * lost.
 */
const lostAfterMs = 15_000

export type SendNeeds = { readonly hosts: Hosts; readonly clock: Clock }

export function sendRequest(
  { hosts, clock }: SendNeeds,
  target: URL,
  request: OutboundRequest,
): Promise<OutboundOutcome> {
  return new Promise((resolve) => {
    const sending = new Sending(clock, request, resolve)
    const { origin } = target
    const send = async (pool: Pool) => {
      // A pool that lost a request would keep its slot permanently.
      const cancel = clock.after(request.timeoutMs + lostAfterMs, () => void hosts.end(origin, pool))
      await sending.send(pool, target)
      cancel()
    }
    void hosts.use(origin, send, () => sending.isOver)
  })
}

class Sending implements Dispatcher.DispatchHandler {
  readonly #clock: Clock
  readonly #request: OutboundRequest
  readonly #resolve: (outcome: OutboundOutcome) => void
  readonly #startedAt: number
  readonly #cancelTimeout: Cancel
  readonly #body: ResponseBody
  #status = 0
  #headers: Record<string, string> = {}
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #leave = () => {}

  constructor(clock: Clock, request: OutboundRequest, resolve: (outcome: OutboundOutcome) => void) {
    this.#clock = clock
    this.#startedAt = clock.now()
    this.#request = request
    this.#resolve = resolve
    this.#body = new ResponseBody(request.maxResponseBytes)
    this.#cancelTimeout = clock.after(request.timeoutMs, this.#expire)
    request.signal?.addEventListener('abort', this.#stop, { once: true })
    if (request.signal?.aborted) this.#stop()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves when the pool has finished with the request, possibly after the outcome. */
  async send(pool: Pool, { pathname, search }: URL): Promise<void> {
    // A connection that has just responded can be reused from the next event-loop turn on.
    await nextTurn()
    if (this.#isOver) return
    const { method, headers = null, body = null } = this.#request
    await new Promise<void>((resolve) => {
      this.#leave = resolve
      pool.dispatch({ path: pathname + search, method, headers, body }, this)
    })
  }

  /** After the process was frozen, this runs before the timeout's timer. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#clock.now() - this.#startedAt >= this.#request.timeoutMs) this.#expire()
    if (this.#isOver) controller.abort(brokenOff)
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isOver || this.#body.append(chunk)) return
    const detail = `more than ${this.#request.maxResponseBytes} bytes`
    this.#end({ kind: 'error', error: 'too-large', detail })
  }

  onResponseEnd(): void {
    this.#controller = undefined
    this.#end(this.#response())
    this.#leave()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#controller = undefined
    this.#end(evaluateError(error))
    this.#leave()
  }

  #response(): OutboundOutcome {
    return { kind: 'response', status: this.#status, headers: this.#headers, body: this.#body.bytes() }
  }

  readonly #stop = () => this.#end({ kind: 'error', error: 'aborted', detail: 'stopped' })

  readonly #expire = () => this.#end({ kind: 'error', error: 'timeout', detail: 'no response in time' })

  /** Records the first outcome. A fault after the status is an answer if the body is optional. */
  #end(outcome: OutboundOutcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimeout()
    this.#request.signal?.removeEventListener('abort', this.#stop)
    const isEnough = this.#status > 0 && this.#request.isBodyOptional
    this.#resolve(outcome.kind === 'error' && isEnough ? this.#response() : outcome)
    this.#controller?.abort(brokenOff)
  }
}

const brokenOff = new Error('connection closed')

function evaluateError(error: unknown): OutboundOutcome {
  if (error instanceof RefusedAddress)
    return { kind: 'error', error: 'refused-target', detail: error.message }
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { kind: 'error', error: 'network', detail: String(code ?? message ?? error) }
}

const empty = Buffer.alloc(0)

/**
 * Response body in one buffer of at most twice its size.
 *
 * The sender chooses the size of the pieces: one buffer per piece could cost a hundred times as much memory.
 */
export class ResponseBody {
  readonly #limit: number
  #buffer = empty
  #size = 0

  /** @param limit - Maximum size in bytes; the rest is dropped. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Appends as much of `chunk` as fits. Returns whether all of it fit. */
  append(chunk: Uint8Array): boolean {
    const room = this.#limit - this.#size
    const isWhole = chunk.byteLength <= room
    const size = isWhole ? this.#size + chunk.byteLength : this.#limit
    if (size > this.#buffer.byteLength) this.#grow(size)
    this.#buffer.set(isWhole ? chunk : chunk.subarray(0, room), this.#size)
    this.#size = size
    return isWhole
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size)
  }

  #grow(size: number): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(size, 2 * this.#buffer.byteLength)))
    this.#buffer.copy(grown, 0, 0, this.#size)
    this.#buffer = grown
  }
}
