import type { UnixMs } from '@sluice/protocol/time.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Access, rolesWith } from '../access.ts'
import { type Caller, type KnownCaller, type SessionCaller, walletRequired } from '../caller.ts'
import type { Credentials } from '../credentials.ts'
import type { Gate } from '../sessions/gate.ts'
import { sessionEnded } from '../sessions/identify-session.ts'
import { isFreshLogin } from '../sessions/session.ts'
import { findSession } from '../sessions/session-store.ts'

export type Evaluated = {
  readonly access: Access
  readonly path: string
  /** Reads with a session need no CSRF token. */
  readonly isWrite: boolean
  readonly credentials: Credentials
  readonly now: UnixMs
}

/**
 * Checks scope or role, then CSRF, then the age of the login.
 *
 * @throws {ApiError} `unauthorized`, `forbidden` or `wallet_required`.
 */
export function authorize(gate: Gate, caller: Caller, request: Evaluated): void {
  const { access } = request
  if (access.kind === 'judged-later') return
  if (caller.kind === 'nobody' && isReadable(access)) refuseReliance(request.credentials)
  if (access.kind === 'public') return
  if (caller.kind === 'nobody') {
    if (!isReadable(access)) throw refuseNobody(access, request.credentials)
    return
  }
  if (caller.kind === 'subscription') authorizeKey(caller, request)
  if (caller.kind === 'session') authorizeSession(gate, caller, request)
}

function isReadable({ kind }: Access): boolean {
  return kind === 'public' || kind === 'key-or-public' || kind === 'known-or-public'
}

/**
 * Rejects a wallet header without a credential: its sender expects the header to authenticate the request.
 */
function refuseReliance(credentials: Credentials): void {
  const { subscriptionKey, apiKey, token, stampedSubscriptionId } = credentials
  const hasCredential = [subscriptionKey, apiKey, token, stampedSubscriptionId].some((it) => it !== undefined)
  if (credentials.saysWallet && !hasCredential)
    throw new ApiError('forbidden', 'Wallet headers are not accepted; remove them')
}

function authorizeKey(
  caller: Extract<KnownCaller, { kind: 'subscription' }>,
  { access, path }: Evaluated,
): void {
  if (access.kind === 'session') {
    throw new ApiError(
      'forbidden',
      `A subscription key cannot do this; log in to the merchant web app at ${screenOf(path)} (JWT session cookie)`,
    )
  }
  if ('scope' in access && !caller.scopes.includes(access.scope)) {
    throw new ApiError('forbidden', `This subscription does not have the scope ${access.scope}`)
  }
}

function authorizeSession(gate: Gate, caller: SessionCaller, request: Evaluated): void {
  const { access, now } = request
  const allowed =
    access.kind === 'session'
      ? access.roles
      : access.kind === 'key-or-session'
        ? (access.roles ?? rolesWith(access.scope))
        : access.kind === 'key-or-public'
          ? rolesWith(access.scope)
          : undefined
  if (allowed && !allowed.includes(caller.role)) {
    if (caller.merchant === undefined) throw walletRequired()
    throw new ApiError('forbidden', `The role ${caller.role} is not allowed to do this`)
  }
  if (request.isWrite) refuseForgery(gate, caller, request.credentials)
  if (access.kind === 'session' && access.isFresh && !isFreshLogin(caller.loggedInAt, now)) {
    throw new ApiError('forbidden', 'Log in again: this requires a login less than five minutes old', {
      reason: 'reauthentication_required',
    })
  }
}

/**
 * Rejects cross-site requests. Another site's page can make a browser send the cookie, but not the CSRF
 * header or our origin.
 */
function refuseForgery(gate: Gate, caller: SessionCaller, credentials: Credentials): void {
  if (credentials.origin === undefined || !gate.isOwnOrigin(credentials.origin))
    throw new ApiError(
      'forbidden',
      'The request did not come from a page of this service; check the Origin header',
    )
  if (
    credentials.csrfToken === undefined ||
    !gate.tokens.isCsrfToken(caller.sessionId, credentials.csrfToken)
  )
    throw new ApiError('forbidden', 'The CSRF token is missing or wrong; check the x-csrf-token header')
}

function refuseNobody(access: Access, credentials: Credentials): ApiError {
  if (credentials.saysWallet) {
    const instead = access.kind === 'session' ? 'log in' : 'send Ocp-Apim-Subscription-Key'
    return new ApiError('forbidden', `Wallet headers are not accepted; ${instead} instead`)
  }
  if (access.kind === 'session') return sessionEnded()
  return new ApiError('unauthorized', 'Send your subscription key in the Ocp-Apim-Subscription-Key header')
}

/**
 * Checks a session whose write was accepted while the database was unavailable.
 *
 * The session must not have ended before `acceptedAt`, and the member must still have a permitted role. A
 * session that ended later does not invalidate the accepted write.
 *
 * @throws {ApiError} `unauthorized` or `forbidden`.
 */
export async function evaluateAccepted(
  db: Database,
  access: Access,
  caller: SessionCaller,
  acceptedAt: UnixMs,
): Promise<void> {
  const session = await findSession(db, caller.sessionId, caller.merchant)
  if (!session || (session.revokedAt !== undefined && session.revokedAt <= acceptedAt)) throw sessionEnded()
  const { memberRole } = session
  if (caller.merchant === undefined || access.kind !== 'session') return
  if (!memberRole || !access.roles.includes(memberRole))
    throw new ApiError('forbidden', 'The member who sent this request is no longer allowed to do this')
}

/** Web app screen per path prefix. The first match applies. */
const screens: readonly (readonly [prefix: string, screen: string])[] = [
  ['/api/audit', '/app/security'],
  ['/api/auth', '/app/security'],
  ['/api/deposits', '/app/split'],
  ['/api/keeper', '/app/overview'],
  ['/api/members', '/app/team'],
  ['/api/payments/unmatched', '/app/unmatched'],
  ['/api/receipts/refund', '/app/refunds'],
  ['/api/receipts/terminal', '/app/terminal'],
  ['/api/receipts', '/app/receipts'],
  ['/api/requests', '/app/developers/requests'],
  ['/api/settings', '/app/settings'],
  ['/api/shop', '/app/shop'],
  ['/api/site', '/app/site'],
  ['/api/split', '/app/split'],
  ['/api/subscriptions', '/app/developers'],
  ['/api/webhooks/deliveries', '/app/developers/deliveries'],
]

export function screenOf(path: string): string {
  return screens.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? '/app'
}
