import { createRequire } from 'node:module'
import type Stripe from 'stripe'
import type { Outbound } from '../../platform/outbound/outbound.ts'

/** Longest answer: a page of 100 sessions has about 200 KB. */
const maxResponseBytes = 2 * 1024 * 1024

/** What undici writes itself, and refuses where it differs. */
const ownHeaders = new Set(['content-length', 'connection', 'host'])

type Answer = Awaited<ReturnType<Stripe.HttpClient['makeRequest']>>

/**
 * The SDK's seam for HTTP, over ours: limits in bytes and time, no redirect followed, traced, and ended with `signal`.
 * The SDK's own retry of broken connections looks for Node's error codes, which these errors do not have.
 *
 * @param apiUrl - What the SDK's paths are appended to, in place of its own host.
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
      if (outcome.kind === 'fault') throw new Error(`${outcome.fault}: ${outcome.detail}`)
      return readAnswer(outcome.status, outcome.headers, outcome.body)
    },
  }
}

function readAnswer(status: number, headers: Readonly<Record<string, string>>, body: Uint8Array): Answer {
  return {
    getStatusCode: () => status,
    getHeaders: () => ({ ...headers }),
    getRawResponse: () => ({}),
    toStream() {
      throw new Error('answers of Stripe are not streamed')
    },
    async toJSON() {
      const value: unknown = JSON.parse(Buffer.from(body).toString())
      // The SDK looks into it at once, and takes what has no `error` for a success.
      if (typeof value !== 'object' || value === null) throw new Error('not an object')
      if (status >= 300 && !('error' in value)) throw new Error(`status ${status} without an error`)
      return value
    },
  }
}

const require = createRequire(import.meta.url)

/** Stripe's SDK, loaded when it is asked for: a service without Stripe goes without its two hundred files. */
export function loadStripe(): typeof Stripe {
  return require('stripe')
}
