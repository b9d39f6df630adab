import type Stripe from 'stripe'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { ProviderUnavailable } from '../provider.ts'
import { loadStripe, makeHttpClient } from './http-client.ts'

/** What asking Stripe needs. */
export type AskNeeds = {
  readonly log: Log
  readonly outbound: Outbound
  readonly secretKey: string
  /** Where Stripe's API is, without a slash at the end. */
  readonly apiUrl: string
}

/** A request of the API, its parameters still in Stripe's own names. */
export type StripeRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly form?: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string
}

/** What a request came to, where Stripe heard it and is not at fault itself. */
export type StripeAnswer =
  | { readonly kind: 'answer'; readonly body: unknown }
  /** Status 400, 402 or 404: what is asked cannot be done; the fields are Stripe's own, prose left out. */
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string | undefined
      readonly param: string | undefined
      readonly requestId: string | undefined
    }
  /** Another request with the same idempotency key is being worked on (docs.stripe.com/api/idempotent_requests). */
  | { readonly kind: 'busy' }

/** The whole call has ten seconds: one request that hangs still leaves the time to say so. */
const requestTimeoutMs = 9_000

/**
 * One request through the SDK, which has no typed resource for the onramp: its public raw request encodes the form,
 * signs in and reads errors. Never repeated by the SDK: who calls knows what may be repeated.
 *
 * @throws {ProviderUnavailable} where Stripe is down, slow, overloaded, or refuses our key.
 */
export async function askStripe(
  needs: AskNeeds,
  request: StripeRequest,
  signal: AbortSignal,
): Promise<StripeAnswer> {
  signal.throwIfAborted()
  const { method, path, form, idempotencyKey } = request
  // One client per call, a fifth of a millisecond: the SDK does not hand a signal through to its HTTP client.
  const Stripe = loadStripe()
  const client = new Stripe(needs.secretKey, {
    httpClient: makeHttpClient(needs, signal),
    maxNetworkRetries: 0,
    timeout: requestTimeoutMs,
    telemetry: false,
  })
  try {
    const body: unknown = await client.rawRequest(
      method,
      path,
      form,
      idempotencyKey ? { idempotencyKey } : {},
    )
    return { kind: 'answer', body }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    return readError(needs.log, error)
  }
}

function readError(log: Log, error: Stripe.errors.StripeError): StripeAnswer {
  const { errors } = loadStripe()
  const { statusCode: status, type, param, requestId } = error
  if (status === 409) return { kind: 'busy' }
  const isRefusal =
    error instanceof errors.StripeInvalidRequestError || error instanceof errors.StripeCardError
  const code = error.decline_code ?? error.code
  if (isRefusal && status !== undefined) return { kind: 'refused', status, code, param, requestId }
  log.warn({ provider: 'stripe', status, type, code, requestId }, 'Stripe could not be asked')
  // Without its cause, whose prose may repeat what was sent of a person.
  throw new ProviderUnavailable('The payment provider does not answer; try again shortly')
}
