import { failureCodeOf } from '@sluice/protocol/failures.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import { timeOfId } from '../../kernel/generate-id.ts'
import { type OpenOutcome, type ProviderCall, ProviderUnavailable, type SessionOrder } from '../provider.ts'
import { type AskNeeds, askStripe, type StripeResponse } from './ask-stripe.ts'
import { metadataFields, prefillFields, type StripeNetwork, sessionsPath, writeOrder } from './order-form.ts'
import { readList, readSession, type StripeSession } from './session-object.ts'

export type OpenNeeds = AskNeeds & { readonly clock: Clock; readonly network: StripeNetwork }

const busyTries = 12
const busyPauseMs = 250

/**
 * Opens the session for a reference, or returns the existing session. The reference is the idempotency key,
 * which Stripe keeps for at least a day. Sessions for older references are looked up in Stripe's list.
 *
 * If Stripe rejects a prefill parameter, tries the next one, and finally none. Each attempt has its own key,
 * because Stripe binds a key to its first parameters.
 *
 * @throws {ProviderUnavailable} if the state of the payment is unknown.
 */
export async function openStripeSession(
  needs: OpenNeeds,
  order: SessionOrder,
  call: ProviderCall,
): Promise<OpenOutcome> {
  const opened = await findOpened(needs, order.reference, call)
  if (opened) return readOpened(opened)
  for (const prefill of prefillFields) {
    const response = await post(needs, order, prefill, call)
    if (response.kind === 'response') return readOpened(response.body)
    if (prefill && response.param?.startsWith(prefill)) continue
    return readRejection(needs, response)
  }
  throw new Error('Stripe rejects prefilled fields only')
}

type Refused = Extract<StripeResponse, { kind: 'refused' }>

async function post(
  needs: OpenNeeds,
  order: SessionOrder,
  prefill: (typeof prefillFields)[number],
  { signal }: ProviderCall,
): Promise<Exclude<StripeResponse, { kind: 'busy' }>> {
  const form = writeOrder(order, needs.network, prefill)
  const idempotencyKey =
    prefill === prefillFields[0] ? order.reference : `${order.reference}-${prefill ?? 'bare'}`
  for (let tries = 0; tries < busyTries; tries++) {
    const response = await askStripe(
      needs,
      { method: 'POST', path: sessionsPath, form, idempotencyKey },
      signal,
    )
    if (response.kind !== 'busy') return response
    await wait(needs.clock, busyPauseMs, signal)
  }
  throw new ProviderUnavailable(
    'The payment provider is still processing the same request; try again shortly',
  )
}

function readOpened(body: unknown): OpenOutcome {
  const session = readSession(body)
  const { redirect_url: hostedUrl } = session ?? {}
  if (!session || !hostedUrl || !isWebPage(hostedUrl))
    throw new ProviderUnavailable('The payment provider opened a session without a page for the buyer')
  return { kind: 'opened', sessionId: session.id, hostedUrl }
}

function isWebPage(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}

/**
 * Codes that concern this service, its account or a temporary condition rather than the payment
 * (docs.stripe.com/error-codes).
 */
const notOfThePayment =
  /^crypto_onramp_(disabled|merchant_|service_|session_|invalid_(?!payment_method)|incomplete_|conflicting_|missing_(source|destination)_|no_wallet_|wallet_address|quote_|skip_)/

function readRejection({ log }: OpenNeeds, { status, code, param, requestId }: Refused): OpenOutcome {
  const isKnown = code !== undefined && failureCodeOf(code) !== 'PORTAL_PAYMENT_FAILED'
  const isOfThePayment = isKnown || code?.startsWith('crypto_onramp_')
  if (isOfThePayment && code && !notOfThePayment.test(code))
    return { kind: 'refused', error: { errorCode: code, requestId: requestId ?? null } }
  log.error(
    { provider: 'stripe', status, code, param, requestId },
    'Stripe rejects the requests of this service',
  )
  throw new ProviderUnavailable('Card and bank payments are currently unavailable')
}

const hourMs = 3_600_000
/** Stripe may remove an idempotency key after 24 hours (docs.stripe.com/api/idempotent_requests). */
const keyLastsMs = 23 * hourMs
/** Limits how long one call can search. */
const maxPages = 40

/**
 * Finds the session for a reference whose idempotency key may have expired. Returns `undefined` if there is
 * no such session, or if the key is still valid.
 */
async function findOpened(
  needs: AskNeeds & { readonly clock: Clock },
  reference: string,
  { signal }: ProviderCall,
): Promise<StripeSession | undefined> {
  const began = timeOfId(reference)
  if (needs.clock.now() < addMs(began, keyLastsMs)) return undefined
  const query = new URLSearchParams({ limit: '100', 'created[gte]': seconds(addMs(began, -hourMs)) })
  for (let pages = 0; pages < maxPages; pages++) {
    const response = await askStripe(needs, { method: 'GET', path: `${sessionsPath}?${query}` }, signal)
    const list = response.kind === 'response' ? readList(response.body) : undefined
    if (!list) break
    const found = list.sessions.find(({ metadata }) => metadata?.[metadataFields.reference] === reference)
    if (found || list.lastId === undefined) return found
    query.set('starting_after', list.lastId)
  }
  throw new ProviderUnavailable('The payment provider cannot report whether the payment was started')
}

function seconds(time: UnixMs): string {
  return String(Math.max(0, Math.floor(time / 1_000)))
}
