import {
  ConflictError,
  ConnectionError,
  RateLimitedError,
  UnavailableError,
  UnexpectedResponseError,
} from './errors.ts'

/**
 * Effect of sending a request twice. `safe`: the request changes nothing. `keyed`: its Idempotency-Key
 * prevents a second effect. `once`: the request could take effect twice.
 */
export type Repeat = 'safe' | 'keyed' | 'once'

/** Number of retries and their delays. */
export type RetryRules = {
  /** Attempts after the first one. */
  readonly count: number
  /** Milliseconds before the first retry. Doubles with each retry. */
  readonly backoffMs: number
  /** Maximum delay in milliseconds. If a delay would be longer, the call fails immediately. */
  readonly maxWaitMs: number
}

/**
 * Milliseconds to wait before the next attempt, or `undefined` if the request must not be sent again. Pure.
 *
 * A rate-limited request had no effect, so its repetition is always safe. If the effect of a failed request
 * is unknown, only `safe` and `keyed` requests are repeated.
 *
 * @param attempt - 0 for the first attempt.
 * @param chance - From 0 to 1. Spreads the retries of clients that failed at the same time.
 */
export function decideWait(
  error: unknown,
  { attempt, repeat, rules, chance }: { attempt: number; repeat: Repeat; rules: RetryRules; chance: number },
): number | undefined {
  if (attempt >= rules.count) return undefined
  const backoffMs = Math.min(rules.backoffMs * 2 ** attempt, rules.maxWaitMs) * (0.5 + chance / 2)
  if (error instanceof RateLimitedError)
    return error.waitMs <= rules.maxWaitMs ? error.waitMs + chance * rules.backoffMs : undefined
  if (repeat === 'once') return undefined
  if (error instanceof UnavailableError)
    return error.retryAfterMs <= rules.maxWaitMs ? Math.max(error.retryAfterMs, backoffMs) : undefined
  if (error instanceof ConnectionError) return backoffMs
  if (error instanceof UnexpectedResponseError)
    return [502, 503, 504].includes(error.status) ? backoffMs : undefined
  // The service may still be processing an earlier attempt, whose response was lost.
  const isOwnConflict = error instanceof ConflictError && error.code === 'idempotency_conflict' && attempt > 0
  return isOwnConflict && repeat === 'keyed' ? backoffMs : undefined
}
