import { ConnectionError, errorOf, RequestTimeoutError, UnexpectedResponseError } from './errors.ts'
import { type CallOptions, readTarget, type SluiceOptions } from './options.ts'
import { type List, makeList } from './pages.ts'
import { pause } from './pause.ts'
import { decideWait, type Repeat, type RetryRules } from './retry.ts'

/** Values of a query string. `undefined` values are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Query | undefined
  /** A string is sent as CSV, any other value as JSON. */
  readonly body?: unknown
  /** Defaults to `safe` for GET, `keyed` for POST and `once` for other methods. */
  readonly repeat?: Repeat
  readonly expects?: 'text'
  /** Number of the last event that the client knows, for the event stream. */
  readonly after?: number | undefined
}

type Received<T> = { readonly value: T; readonly headers: Headers }

/** Sends the requests of a client. Applies timeouts, and retries a request if a repetition is safe. */
export class Transport {
  readonly #key: string | undefined
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeoutMs: number
  readonly #deadlineMs: number
  readonly #rules: RetryRules
  readonly #fetch: typeof fetch

  /** @throws {TypeError} if the URL or the key is missing or invalid. */
  constructor(options: SluiceOptions) {
    const { baseUrl, key } = readTarget(options)
    this.#key = key
    this.#baseUrl = baseUrl
    this.#headers = {
      accept: 'application/json',
      ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
      ...(options.merchantWallet !== undefined && { 'x-merchant-wallet': options.merchantWallet }),
    }
    this.#timeoutMs = options.timeoutMs ?? 30_000
    this.#deadlineMs = options.deadlineMs ?? Number.POSITIVE_INFINITY
    this.#rules = { count: 4, backoffMs: 250, maxWaitMs: 60_000, ...options.retry }
    this.#fetch = options.fetch ?? globalThis.fetch
  }

  /** @throws {TypeError} if the client has no key. */
  getKey(): string {
    if (this.#key === undefined) throw new TypeError('This client has no key')
    return this.#key
  }

  /**
   * Sends a request and returns the body of the response.
   *
   * @throws {ApiError} if the last attempt gets an error response. {@link ConnectionError} if it gets no
   *   response. The signal's reason if the caller aborts it.
   */
  async call<T>(call: Call, options?: CallOptions): Promise<T> {
    return (await this.send<T>(call, options)).value
  }

  /** Same as {@link call}, with the headers of the response. */
  send<T>(call: Call, options: CallOptions = {}): Promise<Received<T>> {
    return this.#repeat(call, options, async (attempt) => {
      const timeout = AbortSignal.timeout(attempt.timeoutMs)
      return this.#request(call, attempt, timeout, async (response) => ({
        value: read<T>(response, await response.text(), call),
        headers: response.headers,
      }))
    })
  }

  list<Entry, Body>(
    path: string,
    query: Query,
    entriesOf: (body: Body) => readonly Entry[],
    options?: CallOptions,
  ): List<Entry, Body> {
    return makeList(async (next) => {
      const cursor = next ?? query.cursor
      const { value: body, headers } = await this.send<Body & { readonly nextCursor?: string | null }>(
        { method: 'GET', path, query: { ...query, cursor } },
        options,
      )
      const nextCursor = body.nextCursor ?? headers.get('x-next-cursor') ?? undefined
      return { data: entriesOf(body), nextCursor, body }
    })
  }

  /**
   * Returns the body of a response as a stream, which throws if the connection breaks. The timeout applies
   * until the response begins, not to the body.
   */
  open(call: Call, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#repeat(call, options, async (attempt) => {
      const timeout = new AbortController()
      const expire = () =>
        timeout.abort(new DOMException('the response did not start in time', 'TimeoutError'))
      const timer = setTimeout(expire, attempt.timeoutMs)
      try {
        return await this.#request(call, attempt, timeout.signal, async (response) => {
          if (response.ok && response.body) return response.body
          read(response, await response.text(), call)
          throw new UnexpectedResponseError(response.status, 'the body is empty')
        })
      } finally {
        clearTimeout(timer)
      }
    })
  }

  async #repeat<T>(
    call: Call,
    options: CallOptions,
    send: (attempt: CallOptions & { readonly timeoutMs: number }) => Promise<T>,
  ): Promise<T> {
    const { signal, timeoutMs = this.#timeoutMs, deadlineMs = this.#deadlineMs } = options
    const rules = { ...this.#rules, ...options.retry }
    const endsAt = performance.now() + deadlineMs
    const repeat = call.repeat ?? (call.method === 'GET' ? 'safe' : call.method === 'POST' ? 'keyed' : 'once')
    const idempotencyKey =
      repeat === 'keyed' ? (options.idempotencyKey ?? crypto.randomUUID()) : options.idempotencyKey
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted()
      try {
        const leftMs = Math.max(0, Math.ceil(endsAt - performance.now()))
        return await send({ ...options, idempotencyKey, timeoutMs: Math.min(timeoutMs, leftMs) })
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        const waitMs = decideWait(error, { attempt, repeat, rules, chance: Math.random() })
        if (waitMs === undefined || performance.now() + waitMs >= endsAt) throw error
        await pause(waitMs, signal)
      }
    }
  }

  async #request<T>(
    call: Call,
    options: CallOptions,
    timeout: AbortSignal,
    take: (response: Response) => Promise<T>,
  ): Promise<T> {
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
    const body = typeof call.body === 'object' ? JSON.stringify(call.body) : (call.body as string | undefined)
    const headers: Record<string, string> = { ...this.#headers }
    if (body !== undefined)
      headers['content-type'] = typeof call.body === 'object' ? 'application/json' : 'text/csv'
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey
    if (call.after !== undefined) headers['last-event-id'] = String(call.after)
    if (options.correlationId !== undefined) headers['x-correlation-id'] = options.correlationId
    let response: Response
    try {
      response = await this.#fetch(this.#baseUrl + call.path + writeQuery(call.query), {
        method: call.method,
        headers,
        // A redirect would send the key to another server.
        redirect: 'error',
        signal,
        ...(body !== undefined && { body }),
      })
    } catch (error) {
      throw explain(error, call, timeout)
    }
    options.onResponse?.({
      status: response.status,
      headers: response.headers,
      correlationId: correlationIdOf(response),
    })
    return take(response).catch((error: unknown) => {
      throw explain(error, call, timeout)
    })
  }
}

function explain(error: unknown, { method, path }: Call, timeout: AbortSignal): unknown {
  const { name } = error as Error
  if (name === 'TimeoutError' && timeout.aborted)
    return new RequestTimeoutError(`${method} ${path} got no response in time`, { cause: error })
  if (error instanceof TypeError || name === 'AbortError')
    return new ConnectionError(`${method} ${path}: ${reasonOf(error)}`, { cause: error })
  return error
}

function read<T>(response: Response, text: string, call: Call): T {
  if (response.ok && call.expects === 'text') return text as T
  const value = parse(text)
  if (typeof value !== 'object' || value === null)
    throw new UnexpectedResponseError(response.status, text.slice(0, 200) || 'the body is empty')
  if (response.ok) return value as T
  const body = value as Record<string, unknown>
  if (typeof body.error !== 'string') throw new UnexpectedResponseError(response.status, text.slice(0, 200))
  const { error: code, message } = body
  const error = {
    status: response.status,
    code,
    message: typeof message === 'string' ? message : code,
    correlationId: correlationIdOf(response),
    body,
  }
  throw errorOf(error, {
    limitMs: limitWait(response, body.resetAt),
    retryAfterMs: secondsIn(response.headers.get('retry-after')) * 1000,
  })
}

function correlationIdOf(response: Response): string | undefined {
  return response.headers.get('x-correlation-id') ?? undefined
}

/** Milliseconds until the limit resets, by the service's clock: the local clock may differ. */
function limitWait(response: Response, resetAt: unknown): number {
  const now = Date.parse(response.headers.get('date') ?? '')
  if (typeof resetAt !== 'number') return secondsIn(response.headers.get('retry-after')) * 1000
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

/** `fetch` reports only "fetch failed". The cause contains the reason. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message
}
