import { createHmac } from 'node:crypto'
import type { Outbound, OutboundOutcome, OutboundRequest } from '../../src/platform/outbound/outbound.ts'
import type { TestClock } from '../support/test-clock.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * How the merchant's webhook endpoint behaves: `dripping` sends the status and then a byte now and then, `deaf`
 * takes the event and loses the response.
 */
export type ReceiverMood = 'well' | 'failing' | 'away' | 'hanging' | 'dripping' | 'redirecting' | 'deaf'

export const receiverMoods: readonly ReceiverMood[] = [
  'well',
  'failing',
  'away',
  'hanging',
  'dripping',
  'redirecting',
  'deaf',
]

type Seen = { readonly body: string; readonly messageId: string }

/** The merchant's webhook endpoint. Remembers every event, and compares each delivery with the ones before. */
export class Receiver {
  mood: ReceiverMood = 'well'
  /** Keys that sign the webhooks, by URL. */
  readonly apiKeys = new Map<string, string>()
  /** URLs and idempotency keys that it answered with a 2xx status. */
  readonly acknowledged = new Set<string>()
  readonly #seen = new Map<string, Seen>()
  readonly #scheduler: Scheduler
  readonly #clock: TestClock

  constructor(scheduler: Scheduler, clock: TestClock) {
    this.#scheduler = scheduler
    this.#clock = clock
  }

  /** A delivery of the lost time may be sent again, as another message. */
  remember(): () => void {
    const [seen, acknowledged] = [new Map(this.#seen), new Set(this.acknowledged)]
    return () => {
      for (const key of this.#seen.keys()) if (!seen.has(key)) this.#seen.delete(key)
      for (const key of this.acknowledged) if (!acknowledged.has(key)) this.acknowledged.delete(key)
    }
  }

  /** @param fail - Receives the promise that a delivery breaks. */
  open(fail: (what: string) => void): Outbound {
    return {
      request: async (request) => {
        await this.#scheduler.pass('webhook')
        const { mood } = this
        if (mood === 'away') return { kind: 'error', error: 'network', detail: 'the receiver is away' }
        const key = request.headers?.['X-Service-Idempotency-Key'] ?? ''
        const wrong = this.#compare(key, request)
        if (wrong !== undefined) fail(`the webhook ${key} ${wrong}`)
        if (mood === 'well' || mood === 'dripping') this.acknowledged.add(`${request.url} ${key}`)
        return this.#respond(mood, request.timeoutMs)
      },
    }
  }

  /** Returns the error of a delivery: a wrong signature, or a difference from an earlier delivery of the event. */
  #compare(key: string, { url, headers = {}, body = '' }: OutboundRequest): string | undefined {
    const apiKey = this.apiKeys.get(url) ?? ''
    const messageId = headers['webhook-id'] ?? ''
    const stamped = `${messageId}.${headers['webhook-timestamp']}.${body}`
    const hmac = createHmac('sha256', apiKey)
    if (headers['X-Service-Signature'] !== `sha256=${hmac.update(body).digest('hex')}`)
      return 'has a wrong signature'
    const standard = createHmac('sha256', apiKey).update(stamped).digest('base64')
    if (headers['webhook-signature'] !== `v1,${standard}`) return 'has a wrong standard signature'
    if (JSON.parse(body).idempotencyKey !== key) return 'has another key in its body'
    const before = this.#seen.get(`${url} ${key}`)
    if (before && before.body !== body) return 'comes with two bodies'
    if (before && before.messageId !== messageId) return 'comes as two messages'
    this.#seen.set(`${url} ${key}`, { body, messageId })
    return undefined
  }

  async #respond(mood: ReceiverMood, timeoutMs: number): Promise<OutboundOutcome> {
    if (mood === 'hanging' || mood === 'dripping' || mood === 'deaf')
      await new Promise<void>((resolve) => void this.#clock.after(timeoutMs, resolve))
    if (mood === 'hanging' || mood === 'deaf')
      return { kind: 'error', error: 'timeout', detail: 'the receiver does not respond' }
    const status = mood === 'failing' ? 500 : mood === 'redirecting' ? 302 : 200
    const headers = status === 302 ? { location: 'https://elsewhere.test/' } : {}
    return { kind: 'response', status, headers, body: new Uint8Array(mood === 'dripping' ? 3 : 0) }
  }
}
