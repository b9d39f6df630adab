import type { ErrorCode } from './wire.ts'

/** What the service's answer said of a failed request. */
export type ErrorAnswer = {
  readonly status: number
  readonly code: ErrorCode | (string & {})
  readonly message: string
  /** Quote it when you report a problem. */
  readonly correlationId: string | undefined
  /** The whole body as it came, with what the code brings along. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One fault of what was sent. */
export type InputIssue = { readonly path: string; readonly message: string }

/** The root of everything this package throws on purpose. */
export class SluiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * The service refused a request. `code` is for programs and does not change; `message` is for people.
 *
 * Its subclasses stand for the HTTP statuses: catch the one you can do something about.
 */
export class ApiError extends SluiceError {
  readonly status: number
  readonly code: ErrorCode | (string & {})
  readonly correlationId: string | undefined
  readonly body: Readonly<Record<string, unknown>>

  constructor({ status, code, message, correlationId, body }: ErrorAnswer) {
    super(message)
    this.status = status
    this.code = code
    this.correlationId = correlationId
    this.body = body
  }
}

/** 400: something in the request is not right. `issues` lists every fault where the code is `invalid_input`. */
export class InvalidRequestError extends ApiError {
  readonly issues: readonly InputIssue[]

  constructor(answer: ErrorAnswer) {
    super(answer)
    this.issues = Array.isArray(answer.body.issues) ? (answer.body.issues as InputIssue[]) : []
  }
}

/** 401: no key, a wrong one, or one that was revoked. */
export class UnauthorizedError extends ApiError {}

/** 403: the key lacks the scope, or the merchant has no split yet (`split_required`). */
export class ForbiddenError extends ApiError {}

/** 404: there is none, or it is another merchant's. */
export class NotFoundError extends ApiError {}

/** 409: in conflict with what is there, `receipt_exists` for example. */
export class ConflictError extends ApiError {}

/** 429 after as many tries, or a longer wait, than were allowed. */
export class RateLimitedError extends ApiError {
  /** Unix milliseconds, by the service's clock, from when on to try again. */
  readonly resetAt: number
  /** How long that was from the answer on; free of differences between the clocks. */
  readonly waitMs: number

  constructor(answer: ErrorAnswer, waitMs: number) {
    super(answer)
    this.resetAt = Number(answer.body.resetAt)
    this.waitMs = waitMs
  }
}

/** 503: the database, the chain or an exchange rate cannot be reached. What was asked was not done. */
export class UnavailableError extends ApiError {
  /** How long the service asks to wait; 0 where it does not say. */
  readonly retryAfterMs: number

  constructor(answer: ErrorAnswer, retryAfterMs: number) {
    super(answer)
    this.retryAfterMs = retryAfterMs
  }
}

/** 500: a fault of the service's own. */
export class ServerError extends ApiError {}

/** No answer came. Whether the request was carried out is not known. */
export class ConnectionError extends SluiceError {}

/** No answer came in time. Whether the request was carried out is not known. */
export class RequestTimeoutError extends ConnectionError {}

/** An answer that is none of this API's: a proxy's page, or text that is no JSON. */
export class UnexpectedAnswerError extends SluiceError {
  readonly status: number

  constructor(status: number, what: string) {
    super(`A response with status ${status} does not come from the API: ${what}`)
    this.status = status
  }
}

/** The error that stands for an answer. */
export function errorOf(answer: ErrorAnswer, wait: { limitMs: number; retryAfterMs: number }): ApiError {
  switch (answer.status) {
    case 400:
      return new InvalidRequestError(answer)
    case 401:
      return new UnauthorizedError(answer)
    case 403:
      return new ForbiddenError(answer)
    case 404:
      return new NotFoundError(answer)
    case 409:
      return new ConflictError(answer)
    case 429:
      return new RateLimitedError(answer, wait.limitMs)
    case 503:
      return new UnavailableError(answer, wait.retryAfterMs)
    default:
      return answer.status >= 500 ? new ServerError(answer) : new ApiError(answer)
  }
}
