import type { Static, TSchema } from 'typebox'
import type { Access, Caller } from './caller.ts'

/** What a handler gets: everything checked, nothing of HTTP. */
export type RouteInput<Params, Query, Body> = {
  readonly caller: Caller
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly correlationId: string
  /** The address the request came from, as far as it can be trusted. */
  readonly clientAddress: string
  /** The header `x-merchant-wallet` as it was sent: whose shop a public read is about, and nothing else. */
  readonly merchantWallet: string | undefined
}

/** What a handler answers. A refusal is thrown instead. */
export type RouteOutput = {
  readonly status: 200 | 201 | 204
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * One endpoint under /api, as a module declares it in its `routes.ts`; `app/http` serves it.
 *
 * `query` values are text; a parameter sent twice was refused before. Unknown fields of `body` are dropped
 * nowhere and must be ignored.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{name}` for parameters, as the contract writes paths. */
  readonly path: string
  readonly access: Access
  readonly summary: string
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  /** JSON where nothing is said. As `text/csv` the body is one text. */
  readonly bodyType?: 'text/csv'
  /** Bytes; 256 KiB where nothing is said. */
  readonly bodyLimit?: number
  /** Refuses faults of the body that have a code of their own, before the schema is looked at. */
  readonly refuseBody?: (body: unknown) => void
  /** What answers are sent as; JSON where nothing is said. Refusals are JSON always. */
  readonly answerType?: 'text/csv'
  readonly answers: Readonly<Record<number, TSchema>>
  handle(input: RouteInput<never, never, never>): Promise<RouteOutput>
}

/** Declares a route with the handler's input typed from its schemas. */
export function route<P extends TSchema, Q extends TSchema, B extends TSchema>(
  declared: Omit<Route, 'handle' | 'params' | 'query' | 'body'> & {
    readonly params?: P
    readonly query?: Q
    readonly body?: B
    handle(input: RouteInput<Static<P>, Static<Q>, Static<B>>): Promise<RouteOutput>
  },
): Route {
  return declared as unknown as Route
}
