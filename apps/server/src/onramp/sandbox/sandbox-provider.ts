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

/** What the sandbox is made with. */
export type SandboxNeeds = {
  readonly db: Database
  readonly clock: Clock
  /** What the hosted page's address begins with. */
  readonly baseUrl: string
  /** Signs the events. */
  readonly secret: string
}

/** The path of the sandbox's own pages, one for each session. */
export const sandboxPath = '/sandbox/onramp'

const pageLength = 100

/**
 * The provider that charges nobody and delivers test tokens: it drives the same interface as a real one, with pages,
 * sessions and signed events of its own. Never made where real money is paid.
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

/** The codes that are the sandbox's alone; what the others mean stands in the catalogue. */
const ownCodes: Readonly<Record<string, FailureCode>> = Object.fromEntries(
  (Object.keys(failures) as FailureCode[])
    .filter((code) => code !== 'PORTAL_PAYMENT_FAILED' && failures[code].providerCodes.length === 0)
    .map((code) => [errorCodeOf(code), code]),
)

/**
 * The id follows from the reference, so that opening again gives the same session. Who the buyer is is not kept: whoever
 * has the link of a receipt can open the page.
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
