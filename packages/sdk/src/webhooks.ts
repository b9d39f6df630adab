import { signBody, signStandard } from '@sluice/protocol/webhook-signature.ts'
import type { CallOptions } from './options.ts'
import type { List } from './pages.ts'
import type { Transport } from './transport.ts'
import {
  parseEvent,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRules,
} from './webhook.ts'
import type { DeliveriesQuery, Delivery, DeliveryPage, ReceiverReport } from './wire.ts'

/** Webhooks. Scope `receipts:read` to list deliveries, `receipts:write` to test an endpoint. */
export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Verifies a delivery with the key of this client and returns its event. See {@link verifyWebhook}.
   *
   * @param body - Raw body, before any parser.
   * @param rules - During a rotation, `keys` contains the old keys.
   * @throws {WebhookVerificationError}
   * @example
   * const event = await sluice.webhooks.verify(rawBody, request.headers)
   */
  async verify(
    body: string | Uint8Array,
    headers: WebhookHeaders,
    rules: Partial<WebhookRules> = {},
  ): Promise<WebhookEvent> {
    const keys = [this.#transport.getKey()].concat(rules.keys ?? [])
    return verifyWebhook(body, headers, { ...rules, keys })
  }

  /**
   * Returns the headers of a valid delivery, for tests of your webhook endpoint.
   *
   * @param body - JSON of an event. The signatures cover exactly this text.
   * @param options.sentAt - Time of the delivery in Unix milliseconds. Defaults to now.
   * @throws {WebhookVerificationError} `malformed-body`.
   * @example
   * const body = JSON.stringify({ event: 'receipt.status_updated', receiptId: 'order-1001', status: 'paid' })
   * const headers = await sluice.webhooks.generateTestHeaders(body)
   */
  async generateTestHeaders(
    body: string | Uint8Array,
    { sentAt = Date.now() }: { readonly sentAt?: number | undefined } = {},
  ): Promise<Record<string, string>> {
    const key = this.#transport.getKey()
    const { event, idempotencyKey } = parseEvent(body)
    const stamp = { id: `msg_${crypto.randomUUID()}`, timestampSeconds: Math.floor(sentAt / 1000) }
    return {
      'content-type': 'application/json',
      'x-service-signature': await signBody(key, body),
      ...(event !== undefined && { 'x-service-event': event }),
      ...(idempotencyKey !== undefined && { 'x-service-idempotency-key': idempotencyKey }),
      'webhook-id': stamp.id,
      'webhook-timestamp': String(stamp.timestampSeconds),
      'webhook-signature': await signStandard(key, stamp, body),
    }
  }

  /** Lists deliveries with their attempts, newest first. */
  listDeliveries(query: DeliveriesQuery = {}, options?: CallOptions): List<Delivery, DeliveryPage> {
    return this.#transport.list('/api/webhooks/deliveries', query, ({ deliveries }) => deliveries, options)
  }

  /**
   * Tests a webhook endpoint. Sends deliveries that the endpoint must accept and deliveries that it must
   * reject, signed with the key of this client. Takes a few seconds. Never retried.
   */
  test(url: string, options?: CallOptions): Promise<ReceiverReport> {
    const call = { method: 'POST', path: '/api/webhooks/test', body: { url }, repeat: 'once' } as const
    return this.#transport.call(call, { timeoutMs: 90_000, ...options })
  }
}
