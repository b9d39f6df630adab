import type Stripe from 'stripe'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { ProviderUnavailable } from '../provider.ts'
import { loadStripe, makeHttpClient } from './http-client.ts'

export type AskNeeds = {
  readonly log: Log
  readonly outbound: Outbound
  readonly secretKey: string
  /** Base URL of Stripe's API, without a trailing slash. */
  readonly apiUrl: string
}

export type StripeRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly form?: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string
}

export type StripeResponse =
  | { readonly kind: 'response'; readonly body: unknown }
  /** Status 400, 402 or 404: Stripe rejects the request. The message text is omitted. */
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly code: string | undefined
      readonly param: string | undefined
      readonly requestId: string | undefined
    }
  /**
   * Another request with the same idempotency key is in progress (docs.stripe.com/api/idempotent_requests).
   */
  | { readonly kind: 'busy' }

/** Shorter than the ten seconds allowed for the whole call, so that a timeout can still be reported. */
const requestTimeoutMs = 9_000

/**
 * Sends one request with the SDK's raw request method, because the SDK has no typed onramp resource. SDK
 * retries are disabled: only the caller knows whether a retry is safe.
 *
 * @throws {ProviderUnavailable} if Stripe is down, slow, overloaded, or rejects our key.
 */
export async function askStripe(
  needs: AskNeeds,
  request: StripeRequest,
  signal: AbortSignal,
): Promise<StripeResponse> {
  signal.throwIfAborted()
  const { method, path, form, idempotencyKey } = request
  // Creates a client for each call (0.2 ms), because the SDK does not pass a signal to its HTTP client.
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
    return { kind: 'response', body }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    return readError(needs.log, error)
  }
}

function readError(log: Log, error: Stripe.errors.StripeError): StripeResponse {
  const { errors } = loadStripe()
  const { statusCode: status, type, param, requestId } = error
  if (status === 409) return { kind: 'busy' }
  const isApiError =
    error instanceof errors.StripeInvalidRequestError || error instanceof errors.StripeCardError
  const code = error.decline_code ?? error.code
  if (isApiError && status !== undefined) return { kind: 'refused', status, code, param, requestId }
  log.warn({ provider: 'stripe', status, type, code, requestId }, 'a request to Stripe failed')
  // Omits the cause, because its message may repeat personal data.
  throw new ProviderUnavailable('The payment provider does not respond; try again shortly')
}
