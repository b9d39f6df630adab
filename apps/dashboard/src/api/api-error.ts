/** An error response of the API. `status` is 0 if there was no response. */
export class ApiError extends Error {
  readonly status: number
  /** Error code from the API contract, or `unreachable` if there was no response. */
  readonly code: string
  readonly correlationId: string | undefined
  readonly issues: readonly { readonly path: string; readonly message: string }[]
  /** Unix time in ms at which the exceeded rate limit resets. */
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
