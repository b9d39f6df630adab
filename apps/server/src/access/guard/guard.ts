import type { Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Access } from '../access.ts'
import type { Caller, KnownCaller } from '../caller.ts'
import { BadCredential, type Credentials } from '../credentials.ts'
import { describeKey, identifyKey, type KeyNeeds } from '../keys/identify-key.ts'
import type { LimitVerdict, RateLimits } from '../limits/rate-limits.ts'
import type { RefusedAttempts } from '../limits/refused-attempts.ts'
import { addressWide, type LimitName, limitAddress } from '../rate-rules.ts'
import { identifySession } from '../sessions/identify-session.ts'
import { authorize } from './authorize.ts'
import { nameOf, type RecentCallers } from './recent-callers.ts'

/** A merchant's limit is this multiple of a subscription's limit. */
const merchantFactor = 3

export type GuardNeeds = KeyNeeds & {
  readonly limits: RateLimits
  readonly refused: RefusedAttempts
  readonly recentCallers: RecentCallers
}

/** Facts about a request that the guard checks before the body is read. */
export type GuardedRequest = {
  readonly access: Access
  readonly path: string
  readonly isWrite: boolean
  readonly credentials: Credentials
  readonly limit: LimitName
  readonly limitSubject: string | undefined
  /** Only failed requests count, after the response. The guard reports the limit but takes no token. */
  readonly countsFailures?: boolean
}

/** Receives the guard's findings, even for requests that it rejects. */
export type GuardReport = {
  header(name: string, value: string): void
  caller(known: KnownCaller): void
}

/**
 * Authenticates a request, then checks rate limits, scope or role, and CSRF.
 *
 * A valid credential is accepted even if its address has too many failed authentications.
 *
 * See docs/contract.md#requests-and-errors.
 *
 * @throws {ApiError} `unauthorized`, `forbidden`, `rate_limited` or `wallet_required`.
 */
export async function guard(
  needs: GuardNeeds,
  request: GuardedRequest,
  report: GuardReport,
): Promise<Caller> {
  const { credentials } = request
  const caller = await identify(needs, request, report)
  if (request.countsFailures) {
    const standing = needs.limits.look(request.limit, addressSubject(credentials.address))
    if (standing) reportVerdict(standing, report)
    authorize(needs.gate, caller, { ...request, now: needs.clock.now() })
    return caller
  }
  const wide = request.limitSubject === undefined ? undefined : addressWide[request.limit]
  if (wide) await takeLimit(needs, { name: wide, subject: addressSubject(credentials.address) }, report)
  const subject = request.limitSubject ?? subjectOf(caller, credentials.address)
  await takeLimit(needs, { name: request.limit, subject }, report)
  if (request.limitSubject === undefined && 'merchant' in caller && caller.merchant)
    await takeMerchantLimit(needs, request.limit, caller.merchant, report)
  authorize(needs.gate, caller, { ...request, now: needs.clock.now() })
  return caller
}

/**
 * Takes a token from a rate limit and reports its state in the headers.
 *
 * @throws {ApiError} `rate_limited` with `resetAt`.
 */
export async function takeLimit(
  needs: { clock: Clock; limits: RateLimits },
  limit: { name: LimitName; subject: string },
  report: GuardReport,
): Promise<void> {
  const verdict = await needs.limits.take(limit.name, limit.subject)
  if (!verdict) return
  reportVerdict(verdict, report)
  if (verdict.isAllowed) return
  throw rateLimited(needs.clock, verdict, report, 'Rate limit exceeded')
}

/** Also counts a request for its merchant. The headers show this limit only if it is exceeded. */
async function takeMerchantLimit(
  needs: { clock: Clock; limits: RateLimits },
  name: LimitName,
  merchant: Wallet,
  report: GuardReport,
): Promise<void> {
  const verdict = await needs.limits.take(name, `merchant:${merchant}`, merchantFactor)
  if (!verdict || verdict.isAllowed) return
  reportVerdict(verdict, report)
  throw rateLimited(needs.clock, verdict, report, 'Rate limit of the merchant exceeded')
}

async function identify(needs: GuardNeeds, request: GuardedRequest, report: GuardReport): Promise<Caller> {
  const { access, credentials } = request
  switch (access.kind) {
    case 'public':
      return { kind: 'nobody' }
    case 'judged-later':
      return deferred(needs, request, report)
    case 'key':
      return (await keyed(needs, credentials, report)) ?? { kind: 'nobody' }
    case 'session': {
      const session = await logged(needs, credentials, report)
      return session ?? (await keyed(needs, credentials, report)) ?? { kind: 'nobody' }
    }
    case 'key-or-public':
      return (await byKeyOrSession(needs, credentials, report, 'ignore-ended')) ?? { kind: 'nobody' }
    case 'known-or-public':
      return (await recognise(needs, credentials, report)) ?? { kind: 'nobody' }
    default:
      return (await byKeyOrSession(needs, credentials, report)) ?? { kind: 'nobody' }
  }
}

/** If a key is sent, it alone decides, and the session is ignored. */
async function byKeyOrSession(
  needs: GuardNeeds,
  credentials: Credentials,
  report: GuardReport,
  ifEnded: 'refuse' | 'ignore-ended' = 'refuse',
): Promise<KnownCaller | undefined> {
  const key = await keyed(needs, credentials, report)
  if (key) return key
  try {
    return await logged(needs, credentials, report)
  } catch (error) {
    const isEnded = error instanceof ApiError && error.code === 'unauthorized'
    if (ifEnded === 'ignore-ended' && isEnded) return undefined
    throw error
  }
}

async function logged(
  needs: GuardNeeds,
  credentials: Credentials,
  report: GuardReport,
): Promise<KnownCaller | undefined> {
  const found = await counted(needs, 'session', credentials, report, () =>
    needs.recentCallers.sessions.through(
      nameOf(credentials),
      () => identifySession(needs, credentials),
      ({ token }) => (token === undefined ? [] : [nameOf({ ...credentials, token })]),
    ),
  )
  if (found?.cookie) report.header('set-cookie', found.cookie)
  if (found) report.caller(found.caller)
  return found?.caller
}

function deferred(needs: GuardNeeds, request: GuardedRequest, report: GuardReport): Caller {
  const { credentials } = request
  return {
    kind: 'deferred',
    async evaluate(access) {
      const caller = await identify(needs, { ...request, access }, report)
      authorize(needs.gate, caller, { ...request, access, now: needs.clock.now() })
      return caller
    },
    recognise: () => recognise(needs, credentials, report),
  }
}

async function recognise(
  needs: GuardNeeds,
  credentials: Credentials,
  report: GuardReport,
): Promise<KnownCaller | undefined> {
  try {
    return await byKeyOrSession(needs, credentials, report)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized') return undefined
    throw error
  }
}

async function keyed(
  needs: GuardNeeds,
  credentials: Credentials,
  report: GuardReport,
): Promise<KnownCaller | undefined> {
  const name = nameOf(credentials)
  const found = await counted(needs, 'key', credentials, report, () =>
    needs.recentCallers.keys.through(name, () => identifyKey(needs, credentials, name)),
  )
  if (found) report.caller(found)
  return found
}

/** Counts an invalid credential against its address. Returns 429 above the limit. */
async function counted<T>(
  needs: GuardNeeds,
  kind: 'key' | 'session',
  credentials: Credentials,
  report: GuardReport,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadCredential) {
      const { address } = credentials
      needs.refused.note(`${kind}.refused`, address, kind === 'key' ? describeKey(credentials) : undefined)
      const verdict = await needs.limits.take('failedAuthentications', limitAddress(address))
      if (verdict) reportVerdict(verdict, report)
      if (verdict && !verdict.isAllowed) {
        const message = 'Too many failed authentications from this address'
        throw rateLimited(needs.clock, verdict, report, message)
      }
    }
    throw error
  }
}

function rateLimited(clock: Clock, verdict: LimitVerdict, report: GuardReport, message: string): ApiError {
  const waitMs = verdict.resetAt - clock.now()
  report.header('retry-after', String(Math.max(1, Math.ceil(waitMs / 1000))))
  return new ApiError('rate_limited', message, { resetAt: verdict.resetAt })
}

function reportVerdict(verdict: LimitVerdict, report: GuardReport): void {
  report.header('x-ratelimit-limit', String(verdict.limit))
  report.header('x-ratelimit-remaining', String(verdict.remaining))
  report.header('x-ratelimit-reset', String(verdict.resetAt))
}

function subjectOf(caller: Caller, address: string): string {
  if (caller.kind === 'subscription') return `subscription:${caller.subscriptionId}`
  if (caller.kind === 'session') return `session:${caller.sessionId}`
  return addressSubject(address)
}

/**
 * Returns the rate limit subject of callers without credentials. IPv6 addresses of one /64 share a subject.
 */
export function addressSubject(address: string): string {
  return `address:${limitAddress(address)}`
}
