import { createRequire } from 'node:module'
import type Stripe from 'stripe'
import type { Outbound } from '../../platform/outbound/outbound.ts'

/** A page of 100 sessions takes about 200 KB. */
const maxResponseBytes = 2 * 1024 * 1024

/** Headers that undici sets itself. undici rejects requests that contain other values for them. */
const ownHeaders = new Set(['content-length', 'connection', 'host'])

type ClientResponse = Awaited<ReturnType<Stripe.HttpClient['makeRequest']>>

/**
 * Implements the SDK's HTTP client with limits on bytes and time, tracing, and abort by `signal`. Follows no
 * redirects. The SDK does not retry broken connections of this client, because its check expects Node's error
 * codes.
 *
 * @param apiUrl - Base URL for the SDK's paths, instead of its own host.
 */
export function makeHttpClient(
  { outbound, apiUrl }: { readonly outbound: Outbound; readonly apiUrl: string },
  signal: AbortSignal,
): Stripe.HttpClient {
  return {
    getClientName: () => 'sluice',
    async makeRequest(_host, _port, path, method, headers, body, _protocol, timeoutMs) {
      if (method !== 'GET' && method !== 'POST') throw new Error(`no ${method} is sent to Stripe`)
      const sent = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()))
      const outcome = await outbound.request({
        method,
        url: `${apiUrl}${path}`,
        headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
        ...(method === 'POST' && { body }),
        timeoutMs,
        maxResponseBytes,
        signal,
      })
      if (outcome.kind === 'error') throw new Error(`${outcome.error}: ${outcome.detail}`)
      return readResponse(outcome.status, outcome.headers, outcome.body)
    },
  }
}

function readResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): ClientResponse {
  return {
    getStatusCode: () => status,
    getHeaders: () => ({ ...headers }),
    getRawResponse: () => ({}),
    toStream() {
      throw new Error('responses of Stripe are not streamed')
    },
    async toJSON() {
      const value: unknown = JSON.parse(Buffer.from(body).toString())
      // The SDK reads `error` from the value, and treats a response without `error` as a success.
      if (typeof value !== 'object' || value === null) throw new Error('not an object')
      if (status >= 300 && !('error' in value)) throw new Error(`status ${status} without an error`)
      return value
    },
  }
}

const require = createRequire(import.meta.url)

/** Loads Stripe's SDK on first use, because the SDK consists of about two hundred files. */
export function loadStripe(): typeof Stripe {
  return require('stripe')
}
