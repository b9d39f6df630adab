import type { ErrorCode } from '@sluice/protocol/errors.ts'
import type { Dependency } from './outage.ts'

/** What an error answer may carry beside `error` and `message`. */
export type RefusalExtras = Readonly<Record<string, unknown>>

/** An error answer of the contract. */
export type ErrorAnswer = {
  readonly code: ErrorCode
  readonly message: string
  readonly extras: RefusalExtras
}

/** Why a request is refused. That something is away is an `Outage`, which befalls background work as well. */
type RefusalCode = Exclude<ErrorCode, `${Dependency}_unavailable`>

/**
 * The end of a request with an answer from the contract.
 *
 * Routes, and the verbs that only routes call, throw it; `app/http/answer-errors` alone turns it into HTTP, and no
 * route sets an error status. Background work does not know it: `scripts/check-imports.ts` holds that.
 */
export class Refusal extends Error implements ErrorAnswer {
  readonly code: RefusalCode
  readonly extras: RefusalExtras

  constructor(code: RefusalCode, message: string, extras: RefusalExtras = {}, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Refusal'
    this.code = code
    this.extras = extras
  }
}

/** One fault of an input, where it is (as `pathOf` writes it) and what would be right. */
export type Issue = { readonly path: string; readonly message: string }

/** How much of what was sent an answer gives back: no more than helps to find it. */
export const echoed = 100

/** What was sent, as an answer may show it. */
export function echo(sent: string): string {
  return sent.length <= echoed ? sent : `${sent.slice(0, echoed - 1)}…`
}

/** A 400 `invalid_input` that lists every fault found. */
export function invalidInput(...found: readonly Issue[]): Refusal {
  const issues = found.map((issue) => ({ ...issue, path: echo(issue.path) }))
  const first = issues[0]
  const message = first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'Invalid input'
  return new Refusal('invalid_input', message, { issues })
}

/** An error answer as it is written on the wire. */
export function viewError({ code, message, extras }: ErrorAnswer): Record<string, unknown> {
  return { error: code, message, ...extras }
}

/**
 * Where something stands in what was sent, as `path` of an issue or a warning says it: a JSON pointer (RFC 6901)
 * without its first slash, `lineItems/0/amount`. The whole is the empty text.
 *
 * A field of the body itself, a query parameter and a header are their own names.
 */
export function pathOf(...steps: readonly (string | number)[]): string {
  return steps.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}

/** The path of what stands at `inner` within `outer`, both as {@link pathOf} writes them. */
export function pathWithin(outer: string, inner: string): string {
  return outer === '' || inner === '' ? outer + inner : `${outer}/${inner}`
}

/** A JSON pointer, as a schema's errors have it, as a path. */
export function pathOfPointer(pointer: string): string {
  return pointer.replace(/^\//, '')
}
