import type { ErrorCode } from '@sluice/protocol/errors.ts'
import type { Dependency } from './outage.ts'

export type ApiErrorExtras = Readonly<Record<string, unknown>>

/** Code, message and additional fields of an error response. */
export type ErrorBody = {
  readonly code: ErrorCode
  readonly message: string
  readonly extras: ApiErrorExtras
}

/**
 * Codes of rejected requests. An unavailable dependency is an `Outage`, because background work encounters it
 * too.
 */
type ApiErrorCode = Exclude<ErrorCode, `${Dependency}_unavailable`>

/**
 * Ends a request with an error response of the API.
 *
 * Only routes and their verbs throw it. `app/http/send-errors` converts it to HTTP, and
 * `scripts/check-imports.ts` keeps it out of background work.
 *
 * See docs/contract.md#requests-and-errors.
 */
export class ApiError extends Error implements ErrorBody {
  readonly code: ApiErrorCode
  readonly extras: ApiErrorExtras

  constructor(code: ApiErrorCode, message: string, extras: ApiErrorExtras = {}, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ApiError'
    this.code = code
    this.extras = extras
  }
}

/** Error in an input: its location, as written by {@link pathOf}, and the expected value. */
export type Issue = { readonly path: string; readonly message: string }

export const echoed = 100

/** Shortens text from a request to 100 characters, so that an error response stays small. */
export function echo(sent: string): string {
  return sent.length <= echoed ? sent : `${sent.slice(0, echoed - 1)}…`
}

/** Returns a 400 `invalid_input` error with the first issue's message. */
export function invalidInput(...found: readonly Issue[]): ApiError {
  const issues = found.map((issue) => ({ ...issue, path: echo(issue.path) }))
  const first = issues[0]
  const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'Invalid input'
  return new ApiError('invalid_input', message, { issues })
}

/** Returns the body of an error response. */
export function viewError({ code, message, extras }: ErrorBody): Record<string, unknown> {
  return { error: code, message, ...extras }
}

/**
 * Returns the `path` of an issue: a JSON pointer (RFC 6901) without the first slash, `lineItems/0/amount`.
 *
 * The path of the whole input is empty. Top-level fields, query parameters and headers are their own names.
 */
export function pathOf(...steps: readonly (string | number)[]): string {
  return steps.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}

/** Joins two paths of {@link pathOf}. Either can be empty. */
export function pathWithin(outer: string, inner: string): string {
  return outer === '' || inner === '' ? outer + inner : `${outer}/${inner}`
}

export function pathOfPointer(pointer: string): string {
  return pointer.replace(/^\//, '')
}
