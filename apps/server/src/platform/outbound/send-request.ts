import type { Dispatcher } from 'undici'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { Connection } from './connection.ts'
import type { Asker, Connections } from './connections.ts'
import { RefusedAddress } from './make-connector.ts'
import type { OutboundOutcome, OutboundRequest } from './outbound.ts'
import { ResponseBody } from './response-body.ts'

/** What a request is sent with. */
export type SendNeeds = { readonly connections: Connections; readonly clock: Clock }

/** Sends a request to where it was judged to go, and answers what came of it first. */
export function sendRequest(
  needs: SendNeeds,
  target: URL,
  request: OutboundRequest,
): Promise<OutboundOutcome> {
  return new Promise((resolve) => {
    new Sending(needs, target, request, resolve).start()
  })
}

/**
 * A request under way, as what its connection tells of it: a promise, a stream and a signal of its own would cost twice
 * as much as all else. It ends once; what is still under way then is broken off, or never begun.
 */
class Sending implements Asker, Dispatcher.DispatchHandler {
  readonly #needs: SendNeeds
  readonly #target: URL
  readonly #request: OutboundRequest
  readonly #resolve: (outcome: OutboundOutcome) => void
  readonly #startedAt = performance.now()
  readonly #cancelTimeout: Cancel
  readonly #forgetSignal: Cancel
  readonly #body: ResponseBody
  #status = 0
  #headers: Record<string, string> = {}
  /** Also while it ends, and this is to be repeated in its place. */
  #connection: Connection | undefined
  #isSent = false
  #isRepeated = false
  #isOver = false

  constructor(
    needs: SendNeeds,
    target: URL,
    request: OutboundRequest,
    resolve: (outcome: OutboundOutcome) => void,
  ) {
    this.#needs = needs
    this.#target = target
    this.#request = request
    this.#resolve = resolve
    this.#body = new ResponseBody(request.maxResponseBytes)
    this.#cancelTimeout = needs.clock.after(request.timeoutMs, this.#expire)
    this.#forgetSignal = request.signal ? whenAborted(request.signal, this.#stop) : () => {}
  }

  start(): void {
    if (this.#request.signal?.aborted) this.#stop()
    else this.#needs.connections.take(this.#target.origin, this)
  }

  begin(connection: Connection): void {
    this.#connection = connection
    this.#isSent = false
    const { pathname, search } = this.#target
    const { method, headers = null, body = null } = this.#request
    connection.send({ path: pathname + search, method, headers, body }, this)
  }

  refuse(error: Error): void {
    this.#end(judgeError(error))
  }

  /** A process that stood still meanwhile comes here before its timers have said that it is late. */
  onRequestStart(): void {
    if (performance.now() - this.#startedAt >= this.#request.timeoutMs) this.#expire()
    else this.#isSent = true
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
    this.#breakOff({ kind: 'fault', fault: 'too-large', detail })
  }

  onResponseEnd(): void {
    if (this.#connection) this.#needs.connections.giveBack(this.#connection)
    this.#end(this.#answer())
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver || !this.#connection) return
    const heir = this.#mayRepeat(this.#connection, error) ? this : undefined
    if (heir) this.#isRepeated = true
    this.#needs.connections.end(this.#connection, error, heir)
    if (!heir) this.#end(this.#despite(judgeError(error)))
  }

  /** Whether its peer closed a connection that was idle before anything of this request was sent on it. */
  #mayRepeat(connection: Connection, error: Error): boolean {
    if (this.#isRepeated || !connection.isReused || connection.isEnding) return false
    if (!closedByPeer.has((error as { code?: unknown }).code)) return false
    return !this.#isSent
  }

  #answer(): OutboundOutcome {
    return { kind: 'answer', status: this.#status, headers: this.#headers, body: this.#body.bytes() }
  }

  /** The answer if its status has come and is enough; else the fault. */
  #despite(fault: OutboundOutcome): OutboundOutcome {
    return this.#status > 0 && this.#request.isBodyOptional ? this.#answer() : fault
  }

  readonly #stop = () => this.#breakOff({ kind: 'fault', fault: 'aborted', detail: 'stopped' })

  readonly #expire = () => this.#breakOff({ kind: 'fault', fault: 'timeout', detail: 'no answer in time' })

  #breakOff(outcome: OutboundOutcome): void {
    if (this.#isOver) return
    this.#end(this.#despite(outcome))
    const { connections } = this.#needs
    if (this.#connection) connections.end(this.#connection, new Error('broken off'))
    else connections.forget(this.#target.origin, this)
  }

  #end(outcome: OutboundOutcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimeout()
    this.#forgetSignal()
    this.#resolve(outcome)
  }
}

const closedByPeer: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** What is to be stopped by each signal. */
const stopsOf = new WeakMap<AbortSignal, Set<() => void>>()

/** Has a signal stop something: a thousand requests may share one, which looks through all its listeners for each. */
function whenAborted(signal: AbortSignal, stop: () => void): Cancel {
  const known = stopsOf.get(signal)
  const stops = known ?? new Set()
  if (!known) {
    stopsOf.set(signal, stops)
    signal.addEventListener('abort', () => stops.forEach((each) => void each()), { once: true })
  }
  stops.add(stop)
  return () => void stops.delete(stop)
}

function judgeError(error: unknown): OutboundOutcome {
  if (error instanceof RefusedAddress)
    return { kind: 'fault', fault: 'refused-target', detail: error.message }
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { kind: 'fault', fault: 'network', detail: String(code ?? message ?? error) }
}
