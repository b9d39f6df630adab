import { failures } from '@sluice/protocol/failure-catalogue.ts'
import type { FailureCode } from '@sluice/protocol/failures.ts'
import type { Cents } from '@sluice/protocol/money.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { OnrampProvider, SessionOrder } from '../provider.ts'
import type { SandboxSession } from './session.ts'
import { readSignedEvent, stateSession } from './signed-event.ts'
import { findSandboxSession, insertSession, listSandboxSessions } from './store.ts'
import { errorCodeOf } from './test-cards.ts'

export type SandboxNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly baseUrl: string
  readonly secret: string
}

export const sandboxPath = '/sandbox/onramp'

const pageLength = 100

/**
 * Creates a provider that charges nothing and delivers test tokens. The provider has its own pages, sessions
 * and signed events, and is never used with real money.
 */
export function makeSandboxProvider(needs: SandboxNeeds): OnrampProvider {
  const { db, clock, baseUrl, secret } = needs
  return {
    name: 'sandbox',
    methods: ['card', 'ach'],
    limits: { minCents: 100n as Cents, maxCents: 100_000_000n as Cents },
    failureCodes: ownCodes,
    async openSession(order, { signal }) {
      signal.throwIfAborted()
      const session = sessionOf(order, clock.now())
      await insertSession(db, session)
      return { kind: 'opened', sessionId: session.id, hostedUrl: `${baseUrl}${sandboxPath}/${session.id}` }
    },
    readEvent: async (request) => readSignedEvent(secret, request),
    async findSession(sessionId) {
      const session = await findSandboxSession(db, sessionId)
      return session && stateSession(session)
    },
    async listSessions({ openedSince, cursor = '' }) {
      const found = await listSandboxSessions(db, { since: openedSince, after: cursor, limit: pageLength })
      const nextCursor = found.length === pageLength ? found.at(-1)?.id : undefined
      return { sessions: found.map(stateSession), nextCursor }
    },
  }
}

const ownCodes: Readonly<Record<string, FailureCode>> = Object.fromEntries(
  (Object.keys(failures) as FailureCode[])
    .filter((code) => code !== 'PORTAL_PAYMENT_FAILED' && failures[code].providerCodes.length === 0)
    .map((code) => [errorCodeOf(code), code]),
)

/**
 * Derives the session id from the reference, so that opening is idempotent. Stores no buyer data, because
 * anyone with the receipt's link can open the page.
 */
function sessionOf(order: SessionOrder, now: SandboxSession['createdAt']): SandboxSession {
  const { reference, amount, chainId, tokenAddress, depositAddress, dueCents, redirectUrl } = order
  return {
    id: `sbx_${reference}`,
    reference,
    state: 'opened',
    stateAt: now,
    createdAt: now,
    chain: chainId,
    token: tokenAddress,
    units: amount.units,
    decimals: amount.decimals,
    depositAddress,
    dueCents,
    sourceCents: undefined,
    redirectUrl,
    errorCode: undefined,
    requestId: undefined,
    settlesAt: undefined,
    returnsAs: undefined,
    transactionHash: undefined,
  }
}
