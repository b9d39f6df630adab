import type { Cents } from '@sluice/protocol/money.ts'
import { findNetwork } from '@sluice/protocol/networks/list.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { type Config, ConfigError } from '../../platform/settings/config.ts'
import {
  type OnrampProvider,
  type ProviderCall,
  ProviderUnavailable,
  type SessionPage,
  type SessionReport,
} from '../provider.ts'
import { askStripe, type StripeRequest } from './ask-stripe.ts'
import { type OpenNeeds, openStripeSession } from './open-session.ts'
import { findStripeNetwork, sessionsPath } from './order-form.ts'
import { readList, readSession, type StripeSession } from './session-object.ts'
import { type EventNeeds, readStripeEvent } from './signed-event.ts'
import { stateSession } from './state-session.ts'

type StripeNeeds = OpenNeeds & EventNeeds

const pageLength = 100
const sessionId = /^\w{1,128}$/

/**
 * Creates the provider for Stripe's crypto onramp. Stripe is the merchant of record for the USDC and bears
 * the cost of disputes, so an accepted payment is irreversible.
 */
export function makeStripeProvider(needs: StripeNeeds): OnrampProvider {
  return {
    name: 'stripe',
    methods: ['card', 'ach'],
    // Stripe documents no fixed limits: they depend on the buyer's identity, and Stripe rejects other amounts
    // with a code.
    limits: { minCents: 100n as Cents, maxCents: 100_000_000n as Cents },
    failureCodes: {},
    openSession: (order, call) => openStripeSession(needs, order, call),
    readEvent: async (request) => readStripeEvent(needs, request),
    findSession: (id, call) => findSession(needs, id, call),
    listSessions: (query, call) => listSessions(needs, query, call),
  }
}

async function findSession(
  needs: StripeNeeds,
  id: string,
  { signal }: ProviderCall,
): Promise<SessionReport | undefined> {
  // The id becomes part of a URL path.
  if (!sessionId.test(id)) return undefined
  const askedAt = needs.clock.now()
  const body = await get(needs, `${sessionsPath}/${id}`, signal)
  if (body === undefined) return undefined
  const session = readSession(body)
  if (session?.id !== id)
    throw new ProviderUnavailable('The payment provider returned an unexpected response')
  return state(needs, session, askedAt)
}

async function listSessions(
  needs: StripeNeeds,
  { openedSince, cursor }: { readonly openedSince: UnixMs; readonly cursor: string | undefined },
  { signal }: ProviderCall,
): Promise<SessionPage> {
  const askedAt = needs.clock.now()
  const query = new URLSearchParams({
    limit: `${pageLength}`,
    'created[gte]': `${Math.max(0, Math.floor(openedSince / 1_000))}`,
    ...(cursor !== undefined && { starting_after: cursor }),
  })
  const list = readList(await get(needs, `${sessionsPath}?${query}`, signal))
  if (!list) throw new ProviderUnavailable('The payment provider returned an unexpected response')
  const sessions = list.sessions.flatMap((session) => state(needs, session, askedAt) ?? [])
  return { sessions, nextCursor: list.lastId }
}

async function get(needs: StripeNeeds, path: string, signal: AbortSignal): Promise<unknown> {
  const request: StripeRequest = { method: 'GET', path }
  const response = await askStripe(needs, request, signal)
  if (response.kind === 'response') return response.body
  if (response.kind === 'refused' && response.status === 404) return undefined
  throw new ProviderUnavailable('The payment provider rejected a status request')
}

function state(
  { network, isLive }: StripeNeeds,
  session: StripeSession,
  askedAt: UnixMs,
): SessionReport | undefined {
  if (session.livemode !== isLive) return undefined
  return stateSession(session, network, { eventAt: undefined, askedAt, requestId: null })
}

type StripeConfig = Pick<
  Config,
  'stripeSecretKey' | 'stripeWebhookSecret' | 'stripeApiUrl' | 'chainId' | 'onrampProvider'
>

/**
 * Creates the Stripe provider if its keys are set and Stripe supports the deployment's network.
 *
 * @throws {ConfigFault} if `ONRAMP_PROVIDER` is `stripe` and Stripe does not support the network.
 */
export function openStripe(
  { clock, log, outbound }: { readonly clock: Clock; readonly log: Log; readonly outbound: Outbound },
  config: StripeConfig,
): OnrampProvider | undefined {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeApiUrl: apiUrl } = config
  const network = findStripeNetwork(config.chainId)
  if (config.onrampProvider === 'stripe' && !network)
    throw new ConfigError([
      `ONRAMP_PROVIDER is stripe, which does not deliver USDC on ${nameOf(config.chainId)}`,
    ])
  if (!secretKey || !webhookSecret || !network) return undefined
  const isLive = isLiveKey(secretKey)
  return makeStripeProvider({ clock, log, outbound, secretKey, webhookSecret, apiUrl, network, isLive })
}

/** Returns whether a key is live: `sk_live_…` or restricted `rk_live_…` (docs.stripe.com/keys). */
function isLiveKey(key: string): boolean {
  return /^[sr]k_live_/.test(key)
}

function nameOf(chainId: number): string {
  return findNetwork(chainId)?.name ?? `chain ${chainId}`
}
