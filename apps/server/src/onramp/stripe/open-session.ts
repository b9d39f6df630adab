import { failureCodeOf } from '@sluice/protocol/failures.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, wait } from '../../kernel/clock.ts'
import { timeOfId } from '../../kernel/generate-id.ts'
import { type OpenOutcome, type ProviderCall, ProviderUnavailable, type SessionOrder } from '../provider.ts'
import { type AskNeeds, askStripe, type StripeAnswer } from './ask-stripe.ts'
import { metadataFields, prefillFields, type StripeNetwork, sessionsPath, writeOrder } from './order-form.ts'
import { readList, readSession, type StripeSession } from './session-object.ts'

/** What opening a session needs. */
export type OpenNeeds = AskNeeds & { readonly clock: Clock; readonly network: StripeNetwork }

const busyTries = 12
const busyPauseMs = 250

/**
 * Opens a session, or gives the one that was opened under the same reference: that is the idempotency key, whose answer
 * Stripe keeps for a day at least; after that, the session is looked for in Stripe's list. What the form is filled in with never costs a payment: where Stripe refuses it, the
 * session is opened without, under a key of its own, since a key belongs to what was first sent with it.
 *
 * @throws {ProviderUnavailable} where nothing is known of the payment.
 */
export async function openStripeSession(
  needs: OpenNeeds,
  order: SessionOrder,
  call: ProviderCall,
): Promise<OpenOutcome> {
  const opened = await findOpened(needs, order.reference, call)
  if (opened) return readOpened(opened)
  for (const prefill of prefillFields) {
    const answer = await post(needs, order, prefill, call)
    if (answer.kind === 'answer') return readOpened(answer.body)
    if (prefill && answer.param?.startsWith(prefill)) continue
    return readRefusal(needs, answer)
  }
  throw new Error('without anything to fill in, nothing of it is refused')
}

type Refused = Extract<StripeAnswer, { kind: 'refused' }>

/** Posts until no other request with the same key is under way. */
async function post(
  needs: OpenNeeds,
  order: SessionOrder,
  prefill: (typeof prefillFields)[number],
  { signal }: ProviderCall,
): Promise<Exclude<StripeAnswer, { kind: 'busy' }>> {
  const form = writeOrder(order, needs.network, prefill)
  const idempotencyKey =
    prefill === prefillFields[0] ? order.reference : `${order.reference}-${prefill ?? 'bare'}`
  for (let tries = 0; tries < busyTries; tries++) {
    const answer = await askStripe(
      needs,
      { method: 'POST', path: sessionsPath, form, idempotencyKey },
      signal,
    )
    if (answer.kind !== 'busy') return answer
    await wait(needs.clock, busyPauseMs, signal)
  }
  throw new ProviderUnavailable(
    'The payment provider is still at work on the same request; try again shortly',
  )
}

function readOpened(body: unknown): OpenOutcome {
  const session = readSession(body)
  const { redirect_url: hostedUrl } = session ?? {}
  if (!session || !hostedUrl || !isWebPage(hostedUrl))
    throw new ProviderUnavailable('The payment provider opened a payment that cannot be shown')
  return { kind: 'opened', sessionId: session.id, hostedUrl }
}

/** Buyers are sent there. */
function isWebPage(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:'
}

/**
 * Codes that are about this service, its account or a moment, not about the payment
 * (docs.stripe.com/error-codes: those of parameters, of the merchant's set-up, of the service).
 */
const notOfThePayment =
  /^crypto_onramp_(disabled|merchant_|service_|session_|invalid_(?!payment_method)|incomplete_|conflicting_|missing_(source|destination)_|no_wallet_|wallet_address|quote_|skip_)/

function readRefusal({ log }: OpenNeeds, { status, code, param, requestId }: Refused): OpenOutcome {
  const isKnown = code !== undefined && failureCodeOf(code) !== 'PORTAL_PAYMENT_FAILED'
  const isOfThePayment = isKnown || code?.startsWith('crypto_onramp_')
  if (isOfThePayment && code && !notOfThePayment.test(code))
    return { kind: 'refused', fault: { errorCode: code, requestId: requestId ?? null } }
  log.error(
    { provider: 'stripe', status, code, param, requestId },
    'Stripe refuses what this service asks for',
  )
  throw new ProviderUnavailable('Card and bank payments are not available at the moment')
}

const hourMs = 3_600_000
/** Stripe may forget an idempotency key after 24 hours (docs.stripe.com/api/idempotent_requests). */
const keyLastsMs = 23 * hourMs
/** What fits into a call's time. */
const maxPages = 40

/**
 * The session that was opened under a reference so old that its key may be forgotten: Stripe's list has it. `undefined` where there is none, or where the key still finds it.
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
    const answer = await askStripe(needs, { method: 'GET', path: `${sessionsPath}?${query}` }, signal)
    const list = answer.kind === 'answer' ? readList(answer.body) : undefined
    if (!list) break
    const found = list.sessions.find(({ metadata }) => metadata?.[metadataFields.reference] === reference)
    if (found || list.lastId === undefined) return found
    query.set('starting_after', list.lastId)
  }
  throw new ProviderUnavailable('The payment provider cannot say whether the payment was begun')
}

function seconds(time: UnixMs): string {
  return String(Math.max(0, Math.floor(time / 1_000)))
}
