import { okResponse } from '@sluice/protocol/api/access.ts'
import {
  challengeRequest,
  challengeResponse,
  endSessionsResponse,
  loginRequest,
  sessionList,
  sessionResponse,
} from '@sluice/protocol/api/auth.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { Type } from 'typebox'
import type { Hex } from 'viem'
import { ApiError } from '../../kernel/api-error.ts'
import { assert } from '../../kernel/assert.ts'
import { type Caller, sessionOf } from '../caller.ts'
import { BadCredential } from '../credentials.ts'
import { parseIdempotencyKey } from '../idempotency/idempotency.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { RefusedAttempts } from '../limits/refused-attempts.ts'
import { limitAddress } from '../rate-rules.ts'
import { type Route, route } from '../route.ts'
import type { Signups } from './choose-merchant.ts'
import { endSessions, listSessions } from './end-sessions.ts'
import { endedCookie, ownHost, sessionCookie } from './gate.ts'
import { type LoginNeeds, logIn, startLogin } from './log-in.ts'
import { loginTypedData } from './login-challenge.ts'
import { endOf } from './session.ts'
import { everybody, viewListed, viewSession } from './view-session.ts'

export type AuthNeeds = LoginNeeds & {
  readonly limits: RateLimits
  readonly refused: RefusedAttempts
  readonly site: { readonly baseUrl: string; readonly signups: Signups }
}

/** Other errors, such as an unavailable chain or a repeat, are not failed logins. */
const failedLogins: ReadonlySet<string> = new Set(['unauthorized', 'forbidden'])
const anySession = { kind: 'session', roles: everybody } as const

export function authRoutes(needs: AuthNeeds): Route[] {
  return [
    challengeRoute(needs),
    loginRoute(needs),
    currentSessionRoute(needs),
    logoutRoute(needs),
    listSessionsRoute(needs),
    endOtherSessionsRoute(needs),
    endSessionRoute(needs),
  ]
}

function challengeRoute(needs: AuthNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/auth/challenge',
    access: { kind: 'public' },
    description:
      'Request a login challenge. Returns typed data for the wallet to sign. The challenge can be used once, within five minutes.',
    body: challengeRequest,
    responses: { 200: challengeResponse },
    async handle({ body, headers }) {
      const challenge = await startLogin(needs, walletOf(body.address), {
        host: ownHost(needs, headers.origin, 'Logins'),
        chainId: needs.chain.id,
      })
      return {
        status: 200,
        body: { typedData: loginTypedData(challenge), expiresAt: challenge.expiresAt },
      }
    },
  })
}

function loginRoute(needs: AuthNeeds): Route {
  const { gate, site } = needs
  return route({
    method: 'POST',
    path: '/api/auth/login',
    access: { kind: 'judged-later' },
    limit: { name: 'logins', counts: 'failures' },
    idempotency: { isSecretResponse: true },
    description: 'Log in with a signed challenge. Sets the session cookie.',
    body: loginRequest,
    responses: { 200: sessionResponse },
    document: { apiErrors: ['chain_unavailable'] },
    async handle({ body, caller, headers, clientAddress, correlationId }) {
      const wallet = walletOf(body.address)
      const origin = {
        host: ownHost(needs, headers.origin, 'Logins'),
        address: clientAddress,
        userAgent: headers['user-agent'],
        correlationId,
        formerSessionId: await findFormer(caller, wallet),
        idempotencyKey: parseIdempotencyKey(headers['idempotency-key']),
      }
      const login = {
        wallet,
        signature: body.signature as Hex,
        nonce: body.nonce,
        merchant: body.merchantWallet === undefined ? undefined : walletOf(body.merchantWallet),
        invitation: body.invitation,
      }
      const { session, standing, token } = await logIn(needs, login, origin, site).catch(
        async (error: unknown) => {
          if (error instanceof ApiError && failedLogins.has(error.code))
            needs.refused.note('login.failed', clientAddress, wallet)
          if (error instanceof BadCredential)
            await needs.limits.take('failedAuthentications', limitAddress(clientAddress))
          throw error
        },
      )
      const until = endOf(session)
      const now = needs.clock.now()
      return {
        status: 200,
        headers: { 'set-cookie': sessionCookie(gate, token, { until, now }) },
        body: viewSession(needs, session.id, { ...session, role: standing.role }),
      }
    },
  })
}

function currentSessionRoute(needs: AuthNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/auth/session',
    access: anySession,
    description: 'Retrieve the current session.',
    responses: { 200: sessionResponse },
    async handle({ caller }) {
      const session = sessionOf(caller)
      return {
        status: 200,
        body: viewSession(needs, session.sessionId, { ...session, createdAt: session.loggedInAt }),
      }
    },
  })
}

function logoutRoute(needs: AuthNeeds): Route {
  const { gate } = needs
  return route({
    method: 'POST',
    path: '/api/auth/logout',
    access: anySession,
    description: 'Log out.',
    responses: { 200: okResponse },
    async handle({ caller, correlationId }) {
      const session = sessionOf(caller)
      await endSessions(needs, session, { id: session.sessionId }, correlationId)
      return { status: 200, headers: { 'set-cookie': endedCookie(gate) }, body: { ok: true } }
    },
  })
}

function listSessionsRoute(needs: AuthNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/auth/sessions',
    access: anySession,
    description: 'List sessions. Returns your own sessions. Owners get the sessions of all members.',
    responses: { 200: sessionList },
    async handle({ caller }) {
      const current = sessionOf(caller)
      const sessions = await listSessions(needs, current)
      return {
        status: 200,
        body: { sessions: sessions.map((session) => viewListed(session, current.sessionId)) },
      }
    },
  })
}

function endOtherSessionsRoute(needs: AuthNeeds): Route {
  return route({
    method: 'DELETE',
    path: '/api/auth/sessions',
    access: anySession,
    description: 'End all your other sessions.',
    responses: { 200: endSessionsResponse },
    async handle({ caller, correlationId }) {
      const ended = await endSessions(needs, sessionOf(caller), 'others', correlationId)
      return { status: 200, body: { ok: true, ended } }
    },
  })
}

function endSessionRoute(needs: AuthNeeds): Route {
  return route({
    method: 'DELETE',
    path: '/api/auth/sessions/{id}',
    access: anySession,
    description: 'End a session.',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    responses: { 200: endSessionsResponse },
    async handle({ caller, params, correlationId }) {
      const ended = await endSessions(needs, sessionOf(caller), params, correlationId)
      return { status: 200, body: { ok: true, ended } }
    },
  })
}

async function findFormer(caller: Caller, wallet: Wallet): Promise<string | undefined> {
  const former = caller.kind === 'deferred' ? await caller.recognise() : undefined
  return former?.kind === 'session' && former.wallet === wallet ? former.sessionId : undefined
}

function walletOf(text: string): Wallet {
  const wallet = parseWallet(text)
  assert(wallet, 'the schema admits only wallets')
  return wallet
}
