import { expect, test } from 'vitest'
import {
  ConflictError,
  ConnectionError,
  type ErrorResponse,
  InvalidRequestError,
  RateLimitedError,
  ServerError,
  UnavailableError,
  UnexpectedResponseError,
} from './errors.ts'
import { decideWait, type Repeat } from './retry.ts'

const rules = { count: 4, backoffMs: 100, maxWaitMs: 5_000 }
const response = (status: number, code: string): ErrorResponse => {
  return { status, code, message: code, correlationId: undefined, body: {} }
}
const decide = (error: unknown, repeat: Repeat, attempt = 0, chance = 1) =>
  decideWait(error, { attempt, repeat, rules, chance })
const limited = (waitMs: number) => new RateLimitedError(response(429, 'rate_limited'), waitMs)
const away = (retryAfterMs: number) =>
  new UnavailableError(response(503, 'datastore_unavailable'), retryAfterMs)

test('a rate-limited request of any kind is repeated, unless the wait is too long', () => {
  for (const repeat of ['safe', 'keyed', 'once'] as const)
    expect(decide(limited(3_000), repeat, 0, 0)).toBe(3_000)
  expect(decide(limited(5_001), 'safe')).toBeUndefined()
})

test('a request that could take effect twice is not repeated if its effect is unknown', () => {
  for (const error of [new ConnectionError('lost'), away(0), new UnexpectedResponseError(502, 'a proxy')]) {
    expect(decide(error, 'safe')).toBe(100)
    expect(decide(error, 'keyed')).toBe(100)
    expect(decide(error, 'once')).toBeUndefined()
  }
})

test('delays double up to the longest, and chance halves them at most', () => {
  const lost = new ConnectionError('lost')
  expect([0, 1, 2, 3].map((attempt) => decide(lost, 'safe', attempt))).toEqual([100, 200, 400, 800])
  expect(decide(lost, 'safe', 3, 0)).toBe(400)
  expect(decide(away(2_000), 'safe')).toBe(2_000)
})

test('after the last retry there is none', () => {
  expect(decide(limited(0), 'safe', 4)).toBeUndefined()
  expect(decide(new ConnectionError('lost'), 'safe', 4)).toBeUndefined()
})

test('a conflict with an earlier attempt of the same call is repeated, any other is an error', () => {
  const echo = new ConflictError(response(409, 'idempotency_conflict'))
  expect(decide(echo, 'keyed', 1)).toBe(200)
  expect(decide(echo, 'keyed', 0)).toBeUndefined()
  expect(decide(new ConflictError(response(409, 'receipt_exists')), 'keyed', 1)).toBeUndefined()
})

test('an API error and a failure of the service are not repeated', () => {
  expect(decide(new InvalidRequestError(response(400, 'invalid_input')), 'safe')).toBeUndefined()
  expect(decide(new ServerError(response(500, 'failed')), 'safe')).toBeUndefined()
  expect(decide(new UnexpectedResponseError(404, 'a page'), 'safe')).toBeUndefined()
})
