import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Scope } from '@sluice/protocol/api/access.ts'
import type { ErrorCode } from '@sluice/protocol/errors.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { csvHeaders } from '../kernel/text/csv.ts'
import type { Access } from './access.ts'
import { type Caller, merchantOf } from './caller.ts'
import type { LimitName } from './rate-rules.ts'

/** Input of a handler. Access, rate limit and schema are already checked. */
export type RouteInput<Params, Query, Body, Prepared = unknown> = {
  readonly prepared: Prepared
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly correlationId: string
  /** Time of acceptance, if a database outage delayed the request. */
  readonly acceptedAt?: UnixMs
  /** Client address, from the trusted proxies. */
  readonly clientAddress: string
  /** Header `x-merchant-wallet`, unverified. It names the shop of a public read and grants nothing. */
  readonly merchantWallet: string | undefined
  /** Lower-case names, without keys, cookies and wallet headers. */
  readonly headers: Readonly<IncomingHttpHeaders>
  /**
   * Takes a token from an additional limit.
   *
   * @throws {ApiError} `rate_limited`.
   */
  limit(name: LimitName, subject: string): Promise<void>
}

/** Successful response of a handler. Errors are thrown. */
export type RouteOutput = {
  readonly status: 200 | 201 | 204
  /** Sent as JSON, or as text if `headers` have another content type. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces `body`. Streamed as lines of JSON. An error becomes the last line. */
  readonly lines?: AsyncIterable<unknown>
  /**
   * Replaces `body`. Streamed with the content type in `headers`.
   *
   * Ends when the client disconnects and, if live, when the service stops.
   */
  readonly stream?: { readonly body: Readable; readonly isLive?: boolean }
}

export type RouteDocument = {
  /** Error codes in addition to those of every route. */
  readonly apiErrors?: readonly ErrorCode[]
  /** Success responses, if a wrapper changes those of the handler. */
  readonly responses?: Readonly<Record<number, TSchema>>
  /** JSON if absent. */
  readonly responseType?: 'text/csv' | 'text/event-stream'
  /** For `judged-later`: accepts a key and requires a credential. */
  readonly isKeyed?: boolean
}

type RouteIntake = {
  /** JSON if absent. `text/csv`: the body as text. `bytes`: the JSON body as a `Buffer`. */
  readonly type?: 'text/csv' | 'bytes'
  /** Bytes; 256 KiB if absent. */
  readonly limit?: number
  /** Rejects bodies with a specific error code, before schema validation. */
  readonly refuse?: (body: unknown) => void
  /** Responds before the body is parsed, if the body does not matter. */
  readonly respondEarly?: (caller: Caller) => Promise<RouteOutput | undefined>
  /** Rejects all requests before the body is read, whatever its content type. */
  readonly refuseAll?: () => never
}

type RouteLimit = {
  readonly name: LimitName
  /** `params`: counts per address and per value of the path parameters. */
  readonly per?: 'params'
  /**
   * `failures`: counts only rejected requests, per address. A valid request is never rejected because other
   * requests failed.
   */
  readonly counts?: 'failures'
}

type RouteIdempotency<Params, Query, Body> = {
  /** The response contains a secret and is not stored. A repeat with the same key is a conflict. */
  readonly isSecretResponse?: boolean
  /**
   * Handles the request with fewer statements than the generic path.
   *
   * `undefined`, or an error other than an outage or a key conflict, selects the generic path. Nothing may
   * have been changed in that case.
   *
   * @param write - Serializes the handler's output as it is stored and sent.
   */
  respond?(
    input: Omit<RouteInput<Params, Query, Body>, 'prepared'>,
    keyed: KeyedRequest,
    write: (output: RouteOutput) => PlainResponse,
  ): Promise<(PlainResponse & { readonly isReplay: boolean }) | undefined>
}

/**
 * An endpoint under /api.
 *
 * `query` values are text. Duplicate parameters are already rejected. Unknown fields of `body` are kept and
 * must be ignored.
 *
 * Every POST of a merchant accepts `Idempotency-Key`. Its handler then runs in the transaction that stores
 * the response. A handler must therefore change only the injected `Database` and make no network calls, which
 * belong in `prepare`.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly access: Access
  /** Full sentences. The first one is the summary, in the imperative: `Create a receipt.` */
  readonly description: string
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly intake?: RouteIntake
  /** If absent, `reads` for GET and `writes` for other methods. */
  readonly limit?: LimitName | RouteLimit
  readonly responses: Readonly<Record<number, TSchema>>
  readonly document?: RouteDocument
  /**
   * Fetches external data, such as a rate, before any transaction. May run twice. Its errors count as the
   * handler's own.
   */
  prepare?(input: Omit<RouteInput<never, never, never>, 'prepared'>): Promise<unknown>
  handle(input: RouteInput<never, never, never>): Promise<RouteOutput>
  readonly idempotency?: RouteIdempotency<never, never, never>
}

/**
 * Returns whether the client accepts progress lines (`Accept: application/x-ndjson`).
 *
 * Returns false with an Idempotency-Key, because a stored response is a single document.
 */
export function wantsLines(headers: Readonly<IncomingHttpHeaders>): boolean {
  const accepted = (headers.accept ?? '')
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase())
  return accepted.includes('application/x-ndjson') && headers['idempotency-key'] === undefined
}

/** Declares a route with typed input. The schemas determine the types of `params`, `query` and `body`. */
export function route<P extends TSchema, Q extends TSchema, B extends TSchema, Prepared = undefined>(
  declared: Omit<Route, 'prepare' | 'handle' | 'idempotency' | 'params' | 'query' | 'body'> & {
    readonly params?: P
    readonly query?: Q
    readonly body?: B
    prepare?(input: Omit<RouteInput<Static<P>, Static<Q>, Static<B>>, 'prepared'>): Promise<Prepared>
    handle(input: RouteInput<Static<P>, Static<Q>, Static<B>, Prepared>): Promise<RouteOutput>
    readonly idempotency?: RouteIdempotency<Static<P>, Static<Q>, Static<B>>
  },
): Route {
  return declared as unknown as Route
}

/** A request with an Idempotency-Key. Merchant, method, path and key together identify it. */
export type KeyedRequest = {
  readonly merchant: Wallet
  readonly method: string
  /** Contains the actual ids, but not the query. */
  readonly path: string
  readonly key: string
  /** Hash of query and body, by `hashRequest`. */
  readonly requestHash: string
  readonly isSecretResponse: boolean
}

/** A serialized response. `body` is JSON, or empty. */
export type PlainResponse = { readonly status: number; readonly body: string }

type CsvRoute<Query extends TSchema> = Pick<Route, 'path' | 'description'> & {
  readonly scope: Scope
  readonly query: Query
  readonly fileName: string
  write(merchant: Wallet, query: Static<Query>): Promise<Readable>
}

/** Declares a GET route that streams a CSV file to a key or a session with the scope. */
export function csvRoute<Query extends TSchema>(declared: CsvRoute<Query>): Route {
  const { scope, fileName, write, ...rest } = declared
  return route({
    ...rest,
    method: 'GET',
    access: { kind: 'key-or-session', scope },
    responses: { 200: Type.String() },
    document: { responseType: 'text/csv' },
    handle: async ({ caller, query }) => ({
      status: 200,
      stream: { body: await write(merchantOf(caller), query) },
      headers: csvHeaders(fileName),
    }),
  })
}
