import {
  ConflictError,
  ConnectionError,
  RateLimitedError,
  UnavailableError,
  UnexpectedAnswerError,
} from './errors.ts'

/**
 * What is known of sending a request twice. `safe`: it changes nothing. `keyed`: its Idempotency-Key makes the
 * second a repeat of the first. `once`: it might be done twice.
 */
export type Repeat = 'safe' | 'keyed' | 'once'

/** How often and how long to try. */
export type RetryRules = {
  /** Tries after the first one. */
  readonly count: number
  /** Before the first of them; doubled each time. */
  readonly backoffMs: number
  /** Longer waits are not waited. */
  readonly maxWaitMs: number
}

/**
 * How long to wait before a failed request is sent again; `undefined` where it must not be, or need not. Pure.
 *
 * Being limited is always safe to repeat, since nothing was done. Where it is not known whether something was
 * done, only what cannot be done twice is repeated.
 *
 * @param attempt - 0 for the first.
 * @param chance - From 0 to 1; spreads clients that failed together.
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
  if (error instanceof UnexpectedAnswerError)
    return [502, 503, 504].includes(error.status) ? backoffMs : undefined
  // The first try, whose answer never came, may still be at work under the same key.
  const isOwnEcho = error instanceof ConflictError && error.code === 'idempotency_conflict' && attempt > 0
  return isOwnEcho && repeat === 'keyed' ? backoffMs : undefined
}
