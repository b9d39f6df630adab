import type { ErrorCode } from '@sluice/protocol/errors.ts'

/** What an error answer may carry beside `error` and `message`. */
export type RefusalExtras = Readonly<Record<string, unknown>>

/**
 * The end of a request with an answer from the contract.
 *
 * `app/http/answer-errors` alone turns it into HTTP; routes never set error statuses.
 */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly extras: RefusalExtras

  constructor(code: ErrorCode, message: string, extras: RefusalExtras = {}, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Refusal'
    this.code = code
    this.extras = extras
  }
}

/** One fault of an input, where it is and what would be right. */
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

/** A refusal as it is written on the wire. */
export function viewRefusal({ code, message, extras }: Refusal): Record<string, unknown> {
  return { error: code, message, ...extras }
}
