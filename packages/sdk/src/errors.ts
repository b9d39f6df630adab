import type { ErrorCode } from './wire.ts'

/** Content of an error response. */
export type ErrorResponse = {
  readonly status: number
  readonly code: ErrorCode | (string & {})
  readonly message: string
  /** Quote this id when you report a problem. */
  readonly correlationId: string | undefined
  /** Complete body, with the fields that belong to the code. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One invalid field of a request. */
export type InputIssue = { readonly path: string; readonly message: string }

/** Base class of the errors of this package. */
export class SluiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * An error response from the service. `code` is stable and meant for programs. `message` is meant for people
 * and may change.
 *
 * The subclasses correspond to HTTP statuses.
 */
export class ApiError extends SluiceError {
  readonly status: number
  readonly code: ErrorCode | (string & {})
  readonly correlationId: string | undefined
  readonly body: Readonly<Record<string, unknown>>

  constructor({ status, code, message, correlationId, body }: ErrorResponse) {
    super(message)
    this.status = status
    this.code = code
    this.correlationId = correlationId
    this.body = body
  }
}

/** 400: the request is invalid. */
export class InvalidRequestError extends ApiError {
  /** Every invalid field if the code is `invalid_input`. Empty for other codes. */
  readonly issues: readonly InputIssue[]

  constructor(response: ErrorResponse) {
    super(response)
    this.issues = Array.isArray(response.body.issues) ? (response.body.issues as InputIssue[]) : []
  }
}

/** 401: the key is missing, unknown or revoked. */
export class UnauthorizedError extends ApiError {}

/** 403: the key lacks the scope, or the merchant has no split yet (`split_required`). */
export class ForbiddenError extends ApiError {}

/** 404: the object does not exist or belongs to another merchant. */
export class NotFoundError extends ApiError {}

/** 409: the request conflicts with the current state, for example `receipt_exists`. */
export class ConflictError extends ApiError {}

/** 429: the rate limit is exceeded, and the retries are used up or the wait would be too long. */
export class RateLimitedError extends ApiError {
  /** Time when the limit resets, in Unix milliseconds by the service's clock. */
  readonly resetAt: number
  /** Milliseconds from the response to `resetAt`. Does not depend on the local clock. */
  readonly waitMs: number

  constructor(response: ErrorResponse, waitMs: number) {
    super(response)
    this.resetAt = Number(response.body.resetAt)
    this.waitMs = waitMs
  }
}

/**
 * 503: the database, the chain or an exchange rate is unavailable. The service did not carry out the request.
 */
export class UnavailableError extends ApiError {
  /** Milliseconds that the service asks the client to wait, or 0. */
  readonly retryAfterMs: number

  constructor(response: ErrorResponse, retryAfterMs: number) {
    super(response)
    this.retryAfterMs = retryAfterMs
  }
}

/** 500: the service failed. */
export class ServerError extends ApiError {}

/** No response arrived. The service may have carried out the request. */
export class ConnectionError extends SluiceError {}

/** No response arrived in time. The service may have carried out the request. */
export class RequestTimeoutError extends ConnectionError {}

/** The response is not from the API. It may be a proxy's error page, for example. */
export class UnexpectedResponseError extends SluiceError {
  readonly status: number

  constructor(status: number, content: string) {
    super(`A response with status ${status} does not come from the API: ${content}`)
    this.status = status
  }
}

export function errorOf(response: ErrorResponse, wait: { limitMs: number; retryAfterMs: number }): ApiError {
  switch (response.status) {
    case 400:
      return new InvalidRequestError(response)
    case 401:
      return new UnauthorizedError(response)
    case 403:
      return new ForbiddenError(response)
    case 404:
      return new NotFoundError(response)
    case 409:
      return new ConflictError(response)
    case 429:
      return new RateLimitedError(response, wait.limitMs)
    case 503:
      return new UnavailableError(response, wait.retryAfterMs)
    default:
      return response.status >= 500 ? new ServerError(response) : new ApiError(response)
  }
}
