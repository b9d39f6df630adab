import { ConnectionError, errorOf, RequestTimeoutError, UnexpectedAnswerError } from './errors.ts'
import { pause } from './pause.ts'
import { decideWait, type Repeat, type RetryRules } from './retry.ts'

/** Where the service is, who asks, and how patient to be. */
export type SluiceOptions = {
  /** `https://pay.example.com`; a path in it is kept, but for `/api` at its end. */
  readonly baseUrl: string
  /** The subscription key. Left out, only what is public can be read; given and `undefined`, it is refused. */
  readonly key?: string | undefined
  /** Without a key: the merchant whose shop is read. */
  readonly merchantWallet?: string | undefined
  /** For one try; 30 seconds where absent. */
  readonly timeoutMs?: number | undefined
  /** 4 more tries, from 250 ms on, no single wait above a minute, where absent. */
  readonly retry?: Partial<RetryRules> | undefined
  /** The `fetch` to use: a proxy's, or a test's. */
  readonly fetch?: typeof fetch | undefined
}

/** What one call may say for itself. */
export type CallOptions = {
  /** Ends the call, its waits included. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  /** Of a POST; made up where absent. Give your own to repeat a call after a restart of your program. */
  readonly idempotencyKey?: string | undefined
  /** 1 to 64 of `[A-Za-z0-9._-]`; names the request in the service's logs. */
  readonly correlationId?: string | undefined
}

/** A query's values; what is `undefined` is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** One request as a resource asks for it. */
export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Query | undefined
  /** Sent as JSON; a text is sent as CSV. */
  readonly body?: unknown
  /** Only where it is not what the method says: a GET is safe, a POST keyed, the rest only done once. */
  readonly repeat?: Repeat
  readonly expects?: 'text'
  /** Of a stream of events: the number of the last one that is known. */
  readonly after?: number | undefined
}

/** A good answer. */
export type Answer<T> = { readonly value: T; readonly headers: Headers }

/** Sends requests: one try each with a timeout, and as many tries as are safe. */
export class Transport {
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeoutMs: number
  readonly #rules: RetryRules
  readonly #fetch: typeof fetch

  /** @throws {TypeError} for an address or a key that can be none. */
  constructor(options: SluiceOptions) {
    const url = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined
    if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must be an http or https URL')
    if (url.search || url.hash || url.username || url.password)
      throw new TypeError('baseUrl must not have a query, a fragment or credentials')
    if ('key' in options && options.key === undefined)
      throw new TypeError('key is undefined: is its variable set? Leave key out to read only what is public')
    if (options.key !== undefined && !/^[\x21-\x7e]+$/.test(options.key))
      throw new TypeError('key must be a subscription key')
    const path = url.pathname.replace(/\/+$/, '').replace(/\/api$/, '')
    this.#baseUrl = url.origin + path.replace(/\/+$/, '')
    this.#headers = {
      accept: 'application/json',
      ...(options.key !== undefined && { 'ocp-apim-subscription-key': options.key }),
      ...(options.merchantWallet !== undefined && { 'x-merchant-wallet': options.merchantWallet }),
    }
    this.#timeoutMs = options.timeoutMs ?? 30_000
    this.#rules = { count: 4, backoffMs: 250, maxWaitMs: 60_000, ...options.retry }
    this.#fetch = options.fetch ?? globalThis.fetch
  }

  /**
   * The answer's value.
   *
   * @throws {ApiError} the refusal of the last try; {@link ConnectionError} where no answer came; the signal's
   * reason where it was aborted.
   */
  async call<T>(call: Call, options: CallOptions = {}): Promise<T> {
    return (await this.send<T>(call, options)).value
  }

  /** As {@link call}, with the answer's headers. */
  send<T>(call: Call, options: CallOptions = {}): Promise<Answer<T>> {
    return this.#repeat(call, options, async (each) => {
      const timeout = AbortSignal.timeout(each.timeoutMs ?? this.#timeoutMs)
      return this.#ask(call, each, timeout, async (answer) => ({
        value: read<T>(answer, await answer.text(), call),
        headers: answer.headers,
      }))
    })
  }

  /**
   * An answer that is read as it comes. It has to begin in time, and may then take as long as it takes; what breaks off
   * is an error of the stream.
   */
  open(call: Call, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#repeat(call, options, async (each) => {
      const timeout = new AbortController()
      const late = () => timeout.abort(new DOMException('the answer did not begin in time', 'TimeoutError'))
      const timer = setTimeout(late, each.timeoutMs ?? this.#timeoutMs)
      try {
        return await this.#ask(call, each, timeout.signal, async (answer) => {
          if (answer.ok && answer.body) return answer.body
          read(answer, await answer.text(), call)
          throw new UnexpectedAnswerError(answer.status, 'it is empty')
        })
      } finally {
        clearTimeout(timer)
      }
    })
  }

  async #repeat<T>(call: Call, options: CallOptions, ask: (each: CallOptions) => Promise<T>): Promise<T> {
    const { signal } = options
    const repeat = call.repeat ?? (call.method === 'GET' ? 'safe' : call.method === 'POST' ? 'keyed' : 'once')
    const idempotencyKey =
      repeat === 'keyed' ? (options.idempotencyKey ?? crypto.randomUUID()) : options.idempotencyKey
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted()
      try {
        return await ask({ ...options, idempotencyKey })
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const chance = Math.random()
        const waitMs = decideWait(error, { attempt, repeat, rules: this.#rules, chance })
        if (waitMs === undefined) throw error
        await pause(waitMs, signal)
      }
    }
  }

  async #ask<T>(
    call: Call,
    options: CallOptions,
    timeout: AbortSignal,
    take: (answer: Response) => Promise<T>,
  ): Promise<T> {
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
    const body = typeof call.body === 'object' ? JSON.stringify(call.body) : (call.body as string | undefined)
    const headers: Record<string, string> = { ...this.#headers }
    if (body !== undefined)
      headers['content-type'] = typeof call.body === 'object' ? 'application/json' : 'text/csv'
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey
    if (call.after !== undefined) headers['last-event-id'] = String(call.after)
    if (options.correlationId !== undefined) headers['x-correlation-id'] = options.correlationId
    try {
      const answer = await this.#fetch(this.#baseUrl + call.path + writeQuery(call.query), {
        method: call.method,
        headers,
        // A redirect would carry the key to somewhere else.
        redirect: 'error',
        signal,
        ...(body !== undefined && { body }),
      })
      return await take(answer)
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError' && timeout.aborted)
        throw new RequestTimeoutError(`${call.method} ${call.path} was not answered in time`, {
          cause: error,
        })
      if (error instanceof TypeError || (error as Error).name === 'AbortError')
        throw new ConnectionError(`${call.method} ${call.path}: ${whyOf(error)}`, { cause: error })
      throw error
    }
  }
}

function read<T>(answer: Response, text: string, call: Call): T {
  if (answer.ok && call.expects === 'text') return text as T
  const value = parse(text)
  if (typeof value !== 'object' || value === null)
    throw new UnexpectedAnswerError(answer.status, text.slice(0, 200) || 'it is empty')
  if (answer.ok) return value as T
  const body = value as Record<string, unknown>
  if (typeof body.error !== 'string') throw new UnexpectedAnswerError(answer.status, text.slice(0, 200))
  const { error: code, message } = body
  const refusal = {
    status: answer.status,
    code,
    message: typeof message === 'string' ? message : code,
    correlationId: answer.headers.get('x-correlation-id') ?? undefined,
    body,
  }
  throw errorOf(refusal, {
    limitMs: limitWait(answer, body.resetAt),
    retryAfterMs: secondsIn(answer.headers.get('retry-after')) * 1000,
  })
}

/** From the answer's own time on, so that the clocks of the two machines need not agree. */
function limitWait(answer: Response, resetAt: unknown): number {
  const now = Date.parse(answer.headers.get('date') ?? '')
  if (typeof resetAt !== 'number') return secondsIn(answer.headers.get('retry-after')) * 1000
  return Math.max(0, resetAt - (Number.isNaN(now) ? Date.now() : now))
}

function secondsIn(text: string | null): number {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : 0
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function writeQuery(query: Query = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size > 0 ? `?${given}` : ''
}

/** `fetch` says only "fetch failed"; why stands in its cause. */
function whyOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message
}
