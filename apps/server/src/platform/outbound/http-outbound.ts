import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { refuseInsideTransaction } from '../database/inside-transaction.ts'
import type { Outbound, OutboundOutcome, OutboundRequest } from './outbound.ts'
import { isPublicAddress, judgeTarget, type TargetRules } from './target.ts'

const connectTimeoutMs = 5_000
const socketsPerOrigin = 4
/** Below what receivers keep an idle connection open for, so that none is reused while it closes. */
const idleSocketMs = 1_000

/** The addresses of a name; rejects where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** How this process reaches others. */
export type HttpOutboundOptions = TargetRules & {
  /** For tests: the default asks DNS (`public`) or the operating system (`any`). */
  readonly resolve?: Resolve
}

/**
 * {@link Outbound} over real sockets.
 *
 * With `targets: 'public'` every address is judged inside the socket's own lookup, so there is
 * no moment between the check and the connection in which a name could turn to another address;
 * a name with one address that is not public is refused whole.
 */
export class HttpOutbound implements Outbound {
  readonly #clock: Clock
  readonly #rules: TargetRules
  readonly #agent: Agent

  constructor(needs: { clock: Clock }, options: HttpOutboundOptions) {
    this.#clock = needs.clock
    this.#rules = { targets: options.targets, allowHttp: options.allowHttp }
    this.#agent = new Agent({
      connect: makeConnector(needs.clock, options),
      connections: socketsPerOrigin,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: idleSocketMs,
      keepAliveMaxTimeout: idleSocketMs,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  async request(request: OutboundRequest): Promise<OutboundOutcome> {
    refuseInsideTransaction('the network')
    const target = judgeTarget(request.url, this.#rules)
    if (typeof target === 'string') return { kind: 'fault', fault: 'refused-target', detail: target }
    const timeout = new AbortController()
    const cancel = this.#clock.after(request.timeoutMs, () => timeout.abort())
    const signal = request.signal ? AbortSignal.any([timeout.signal, request.signal]) : timeout.signal
    try {
      return await orAbort(this.#send(target, request, signal), signal)
    } catch (error) {
      if (timeout.signal.aborted) return { kind: 'fault', fault: 'timeout', detail: 'no answer in time' }
      if (request.signal?.aborted) return { kind: 'fault', fault: 'aborted', detail: 'stopped' }
      return judgeError(error)
    } finally {
      cancel()
    }
  }

  /** Drops every connection; requests under way end with a fault. */
  close(): Promise<void> {
    return this.#agent.destroy()
  }

  async #send(url: URL, request: OutboundRequest, signal: AbortSignal): Promise<OutboundOutcome> {
    const answer = await this.#agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: request.headers ?? null,
      body: request.body ?? null,
      signal,
    })
    const chunks: Uint8Array[] = []
    let room = request.maxResponseBytes
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk.subarray(0, room))
      room -= chunk.byteLength
      if (room >= 0) continue
      if (request.whenTooLarge === 'cut') break
      return { kind: 'fault', fault: 'too-large', detail: `more than ${request.maxResponseBytes} bytes` }
    }
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
    return {
      kind: 'answer',
      status: answer.statusCode,
      headers: Object.fromEntries(headers),
      body: Buffer.concat(chunks),
    }
  }
}

/** A request that waits for its connection hears its signal only when that is made: this hears it at once. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

class RefusedAddress extends Error {}

function judgeError(error: unknown): OutboundOutcome {
  if (error instanceof RefusedAddress)
    return { kind: 'fault', fault: 'refused-target', detail: error.message }
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { kind: 'fault', fault: 'network', detail: String(code ?? message ?? error) }
}

/**
 * An aborted request leaves its connection attempt behind, so that has a limit of its own. It is measured as well: a
 * process that stood still meanwhile finds the connection before its timers have said that it is late, and what was to
 * be sent on it may have been sent by another process.
 */
function makeConnector(clock: Clock, options: HttpOutboundOptions): buildConnector.connector {
  const connect = buildConnector({ lookup: makeLookup(options), timeout: 0, allowH2: false })
  return (target, callback) => {
    let cancel: Cancel = () => {}
    const startedAt = performance.now()
    const socket = connect(target, (...result) => {
      cancel()
      const isLate = performance.now() - startedAt >= connectTimeoutMs
      if (isLate) result[1]?.destroy()
      if (isLate) callback(new Error('no connection in time'), null)
      else callback(...result)
    }) as unknown as { destroy(error: Error): void }
    cancel = clock.after(connectTimeoutMs, () => socket.destroy(new Error('no connection in time')))
  }
}

function makeLookup(options: HttpOutboundOptions): LookupFunction | undefined {
  const resolve = options.resolve ?? (options.targets === 'public' ? askDns : undefined)
  if (!resolve) return undefined
  return (hostname, { all, family }, callback) => {
    const found = resolve(hostname).then((addresses) => {
      const refused = options.targets === 'public' && addresses.find((address) => !isPublicAddress(address))
      if (refused) throw new RefusedAddress(`${hostname} resolves to ${refused}`)
      const entries = addresses
        .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        .filter((entry) => (family === 4 || family === 6 ? entry.family === family : true))
      if (!entries[0]) throw new Error(`${hostname} has no address`)
      return { entries, first: entries[0] }
    })
    found.then(
      ({ entries, first }) => (all ? callback(null, entries) : callback(null, first.address, first.family)),
      (error) => callback(error, ''),
    )
  }
}

/** Asks DNS itself: the operating system's lookup would hold one of its few threads for a hanging name server. */
async function askDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason
  return addresses
}
