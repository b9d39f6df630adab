/** An answer of the API that is not a good one, or none at all (`status` 0). */
export class ApiError extends Error {
  readonly status: number
  /** The API's error code; `unreachable` where there was no answer. */
  readonly code: string
  /** To quote when asking the operator. */
  readonly correlationId: string | undefined
  /** What is wrong with which field of what was sent. */
  readonly issues: readonly { readonly path: string; readonly message: string }[]
  /** When to try again (Unix ms), of a limit that was reached. */
  readonly resetAt: number | undefined
  readonly reason: string | undefined

  constructor(status: number, body: unknown, correlationId: string | undefined) {
    const { error, message, issues, resetAt, reason } = (body ?? {}) as Record<string, unknown>
    super(typeof message === 'string' ? message : 'The service does not answer')
    this.name = 'ApiError'
    this.status = status
    this.code = typeof error === 'string' ? error : 'unreachable'
    this.correlationId = correlationId
    this.issues = Array.isArray(issues) ? issues : []
    this.resetAt = typeof resetAt === 'number' ? resetAt : undefined
    this.reason = typeof reason === 'string' ? reason : undefined
  }
}
