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

/** What a handler gets: everything checked, and as little of HTTP as can be. */
export type RouteInput<Params, Query, Body, Prepared = unknown> = {
  /** What the route's own `prepare` came to. */
  readonly prepared: Prepared
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly correlationId: string
  /** When it was accepted, where that was earlier: the datastore was away, and it is handled when that is back. */
  readonly acceptedAt?: UnixMs
  /** The address the request came from, as far as it can be trusted. */
  readonly clientAddress: string
  /** The header `x-merchant-wallet` as it was sent: whose shop a public read is about, and nothing else. */
  readonly merchantWallet: string | undefined
  /** Header names in lower case. Keys, cookies and wallets are taken off before. */
  readonly headers: Readonly<IncomingHttpHeaders>
  /**
   * Counts the request against one more limit, for a subject that is known only now.
   *
   * @throws {Refusal} `rate_limited`.
   */
  limit(name: LimitName, subject: string): Promise<void>
}

/** What a handler answers. A refusal is thrown instead. */
export type RouteOutput = {
  readonly status: 200 | 201 | 204
  /** Sent as JSON; a text is sent as it is where `headers` name another content type. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** In place of `body`: sent as lines of JSON as they come. What is refused on the way is the last line. */
  readonly lines?: AsyncIterable<unknown>
  /**
   * In place of `body`: sent as it comes, under the content type of `headers`. Ended when the client goes away; one that
   * is `live` also when the service stops.
   */
  readonly stream?: { readonly body: Readable; readonly isLive?: boolean }
}

/** What the API's document says of a route beside what its declaration shows. */
export type RouteDocument = {
  /** Error codes beside those every route may answer with. */
  readonly refusals?: readonly ErrorCode[]
  /** Good answers, where something around the handler may change them. */
  readonly answers?: Readonly<Record<number, TSchema>>
  /** What a good answer is sent as; JSON where absent. */
  readonly answerType?: 'text/csv' | 'text/event-stream'
  /** With `judged-later`: a key is good for it, and nobody can do without a credential. */
  readonly isKeyed?: boolean
}

/** How the body of a route is taken, before its handler sees it. */
type RouteIntake = {
  /** JSON where absent. As `text/csv` the body is one text; `bytes`: JSON, given as the `Buffer` that came. */
  readonly type?: 'text/csv' | 'bytes'
  /** Bytes; 256 KiB where absent. */
  readonly limit?: number
  /** Refuses faults of the body that have a code of their own, before the schema is looked at. */
  readonly refuse?: (body: unknown) => void
  /** Answers before the body is looked at, where it makes no difference what was sent. */
  readonly answerEarly?: (caller: Caller) => Promise<RouteOutput | undefined>
  /** Refuses whoever may call the route, before a body is read at all: its content type makes no difference. */
  readonly refuseAll?: () => never
}

/** A limit that counts something else than the requests of a caller. */
type RouteLimit = {
  readonly name: LimitName
  /** `params`: what the path names and the address are counted together. */
  readonly per?: 'params'
  /**
   * `failures`: what is refused is counted for its address, and nothing else. Who is right is never refused for what
   * others have tried.
   */
  readonly counts?: 'failures'
}

/** How requests with an Idempotency-Key are answered, where it is not as for all routes. */
type RouteIdempotency<Params, Query, Body> = {
  /** The answer shows a secret: it is never kept, and a repeat with the same Idempotency-Key is a conflict. */
  readonly hasSecretAnswer?: boolean
  /**
   * Answers with fewer statements than that takes for any handler. `undefined` where the ordinary way is to be gone:
   * then nothing was done. What it throws is taken for that too, but for outages and for refusals of the key.
   *
   * @param write - Makes the answer that is kept and sent of a handler's.
   */
  answer?(
    input: Omit<RouteInput<Params, Query, Body>, 'prepared'>,
    keyed: KeyedRequest,
    write: (output: RouteOutput) => PlainAnswer,
  ): Promise<(PlainAnswer & { readonly isReplay: boolean }) | undefined>
}

/**
 * One endpoint under /api, as a module declares it in its `routes.ts`; `app/http/http` serves it.
 *
 * `query` values are text; a parameter sent twice was refused before. Unknown fields of `body` are dropped
 * nowhere and must be ignored.
 *
 * Every POST of a merchant honours `Idempotency-Key`: its handler then runs inside the transaction that keeps
 * the answer. So a handler does nothing outside the database that must not be done twice, changes the database
 * only through the `Database` its routes were given, and asks the network nothing: that is for `prepare`.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{name}` for parameters, as the contract writes paths. */
  readonly path: string
  readonly access: Access
  /** What it does, in full sentences; the first, in the imperative, is its summary: `Create a receipt.` */
  readonly description: string
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly intake?: RouteIntake
  /** What counts it: `reads` for GET, `writes` for the rest where absent. */
  readonly limit?: LimitName | RouteLimit
  readonly answers: Readonly<Record<number, TSchema>>
  /** What the API's document says beyond that. */
  readonly document?: RouteDocument
  /**
   * Asks the world for what the handler needs of it, before any transaction: a rate, a contract on the chain. What it
   * refuses is an answer like the handler's own. May be done twice.
   */
  prepare?(input: Omit<RouteInput<never, never, never>, 'prepared'>): Promise<unknown>
  handle(input: RouteInput<never, never, never>): Promise<RouteOutput>
  readonly idempotency?: RouteIdempotency<never, never, never>
}

/**
 * Whether the caller asked to be told on the way, by `Accept: application/x-ndjson`. An answer that is kept for its
 * Idempotency-Key is one answer, so such a request is told at the end alone.
 */
export function wantsLines(headers: Readonly<IncomingHttpHeaders>): boolean {
  const accepted = (headers.accept ?? '')
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase())
  return accepted.includes('application/x-ndjson') && headers['idempotency-key'] === undefined
}

/** Declares a route with the handler's input typed from its schemas. */
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

/** What an Idempotency-Key stands for: one key of one merchant on one path. */
export type KeyedRequest = {
  readonly merchant: Wallet
  readonly method: string
  /** With its ids, without its query. */
  readonly path: string
  readonly key: string
  /** Of everything else that decides the answer: `hashRequest`. */
  readonly requestHash: string
  /** The answer shows a secret and is not kept. */
  readonly hasSecretAnswer: boolean
}

/** An answer as bytes on the wire: `body` is JSON, empty where there is none. */
export type PlainAnswer = { readonly status: number; readonly body: string }

/** A route that gives rows of the merchant as a file, as they are read. */
type CsvRoute<Query extends TSchema> = Pick<Route, 'path' | 'description'> & {
  readonly scope: Scope
  readonly query: Query
  /** What the file is called, without its ending. */
  readonly fileName: string
  /** The file. */
  write(merchant: Wallet, query: Static<Query>): Promise<Readable>
}

/** Declares a GET that answers with a CSV file. */
export function csvRoute<Query extends TSchema>(declared: CsvRoute<Query>): Route {
  const { scope, fileName, write, ...rest } = declared
  return route({
    ...rest,
    method: 'GET',
    access: { kind: 'key-or-session', scope },
    answers: { 200: Type.String() },
    document: { answerType: 'text/csv' },
    handle: async ({ caller, query }) => ({
      status: 200,
      stream: { body: await write(merchantOf(caller), query) },
      headers: csvHeaders(fileName),
    }),
  })
}
