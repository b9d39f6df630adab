import type { Agent, Dispatcher } from 'undici'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import type { OutboundOutcome, OutboundRequest } from './outbound.ts'

/** An address that this process may not connect to. */
export class RefusedAddress extends Error {}

/** What a request is sent with; `leave` is called when it has no more to do with its connection. */
export type SendNeeds = { readonly agent: Agent; readonly clock: Clock; readonly leave: () => void }

/** Sends a request to where it was judged to go, and answers what came of it first. */
export function sendRequest(
  needs: SendNeeds,
  target: URL,
  request: OutboundRequest,
): Promise<OutboundOutcome> {
  return new Promise((resolve) => {
    new Sending(needs, request, resolve).dispatch(target)
  })
}

/**
 * A request under way, as what the dispatcher tells of it: a promise, a stream and a signal of its own would cost twice
 * as much as all else. It ends once; what is still under way then is broken off, or never begun.
 */
class Sending implements Dispatcher.DispatchHandler {
  readonly #needs: SendNeeds
  readonly #request: OutboundRequest
  readonly #resolve: (outcome: OutboundOutcome) => void
  readonly #cancelTimeout: Cancel
  readonly #chunks: Uint8Array[] = []
  #room: number
  #status = 0
  #headers: Record<string, string> = {}
  #controller: Dispatcher.DispatchController | undefined
  readonly #forgetSignal: Cancel
  #isOver = false

  constructor(needs: SendNeeds, request: OutboundRequest, resolve: (outcome: OutboundOutcome) => void) {
    this.#needs = needs
    this.#request = request
    this.#resolve = resolve
    this.#room = request.maxResponseBytes
    this.#cancelTimeout = needs.clock.after(request.timeoutMs, () =>
      this.#breakOff({ kind: 'fault', fault: 'timeout', detail: 'no answer in time' }),
    )
    this.#forgetSignal = request.signal ? whenAborted(request.signal, this.#stop) : () => {}
  }

  dispatch(target: URL): void {
    const { method, headers = null, body = null, signal } = this.#request
    if (signal?.aborted) {
      this.#stop()
      this.#needs.leave()
    } else
      this.#needs.agent.dispatch(
        { origin: target.origin, path: target.pathname + target.search, method, headers, body },
        this,
      )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It has waited for its connection until nobody wanted it any more.
    if (this.#isOver) this.#abort()
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
    if (this.#isOver) return
    this.#chunks.push(chunk.subarray(0, this.#room))
    this.#room -= chunk.byteLength
    if (this.#room >= 0) return
    const detail = `more than ${this.#request.maxResponseBytes} bytes`
    const isCut = this.#request.whenTooLarge === 'cut'
    this.#breakOff(isCut ? this.#answer() : { kind: 'fault', fault: 'too-large', detail })
  }

  onResponseEnd(): void {
    this.#needs.leave()
    this.#end(this.#answer())
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#needs.leave()
    this.#end(judgeError(error))
  }

  #answer(): OutboundOutcome {
    return {
      kind: 'answer',
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
    }
  }

  readonly #stop = () => this.#breakOff({ kind: 'fault', fault: 'aborted', detail: 'stopped' })

  #breakOff(outcome: OutboundOutcome): void {
    this.#end(outcome)
    this.#abort()
  }

  #abort(): void {
    this.#controller?.abort(new Error('broken off'))
  }

  #end(outcome: OutboundOutcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimeout()
    this.#forgetSignal()
    this.#resolve(outcome)
  }
}

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
