import { verifyBody, verifyStandard } from '@sluice/protocol/webhook-signature.ts'
import { SluiceError } from './errors.ts'
import type { WebhookBody } from './wire.ts'

/** Body of a webhook and of an event in the feed: the status of a receipt changed. */
export type WebhookEvent = WebhookBody

/** Headers of a request, from `fetch` or from Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Reason for rejecting a delivery. */
export type WebhookRejection =
  | 'no-signature'
  | 'wrong-signature'
  | 'stale'
  | 'headers-differ'
  | 'malformed-body'

/** The delivery is not genuine. Respond with 400 and change nothing. */
export class WebhookVerificationError extends SluiceError {
  readonly reason: WebhookRejection

  constructor(reason: WebhookRejection) {
    super(rejectionTexts[reason])
    this.reason = reason
  }
}

/** Rules for verifying deliveries. */
export type WebhookRules = {
  /**
   * Subscription keys that created the receipts. During a rotation, pass the new and the old key: the old key
   * signs the events of receipts that it created.
   */
  readonly keys: string | readonly string[]
  /** Maximum difference between the sending time and now, in milliseconds. Defaults to five minutes. */
  readonly toleranceMs?: number | undefined
  /**
   * Whether the `webhook-*` headers of Standard Webhooks must be present. Only their signature covers the
   * sending time. Set `optional` behind a proxy that drops them. Defaults to `required`.
   */
  readonly standardHeaders?: 'required' | 'optional' | undefined
  /** Returns the time in Unix milliseconds. Defaults to `Date.now`. */
  readonly now?: (() => number) | undefined
}

/**
 * Verifies a delivery and returns its event. Checks `X-Service-Signature` over the body, and
 * `webhook-signature` (Standard Webhooks) over the id, the sending time and the body.
 *
 * A genuine delivery may arrive twice or late. Deduplicate by `idempotencyKey`, and call `receipts.getStatus`
 * before you act on an event.
 *
 * @param body - Raw body, before any parser.
 * @throws {WebhookVerificationError}
 * @example
 * const event = await verifyWebhook(rawBody, request.headers, { keys: [key, oldKey] })
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  rules: WebhookRules,
): Promise<WebhookEvent> {
  const { toleranceMs = 300_000, standardHeaders = 'required', now = Date.now } = rules
  const keys = typeof rules.keys === 'string' ? [rules.keys] : rules.keys
  const signature = read(headers, 'x-service-signature')
  const stamp = readStamp(headers)
  if (signature === undefined || (!stamp && standardHeaders === 'required'))
    throw new WebhookVerificationError('no-signature')
  const verdicts = await Promise.all(
    keys.map(
      async (key) =>
        (await verifyBody(key, body, signature)) &&
        (!stamp || (await verifyStandard(key, stamp, body, stamp.signatures))),
    ),
  )
  if (!verdicts.includes(true)) throw new WebhookVerificationError('wrong-signature')
  if (stamp && Math.abs(now() - stamp.timestampSeconds * 1000) > toleranceMs)
    throw new WebhookVerificationError('stale')
  const event = parseEvent(body)
  const isSame =
    sameOrAbsent(read(headers, 'x-service-event'), event.event) &&
    sameOrAbsent(read(headers, 'x-service-idempotency-key'), event.idempotencyKey)
  if (!isSame) throw new WebhookVerificationError('headers-differ')
  return event
}

/**
 * Parses the body of a webhook or of an event in the feed. Does not verify signatures or hashes.
 *
 * @throws {WebhookVerificationError} `malformed-body`.
 */
export function parseEvent(body: string | Uint8Array): WebhookEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  try {
    const event = JSON.parse(text) as WebhookEvent | null
    if (typeof event?.receiptId === 'string' && typeof event.status === 'string') return event
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  throw new WebhookVerificationError('malformed-body')
}

type Stamp = { readonly id: string; readonly timestampSeconds: number; readonly signatures: string }

function readStamp(headers: WebhookHeaders): Stamp | undefined {
  const id = read(headers, 'webhook-id')
  const seconds = read(headers, 'webhook-timestamp')
  const signatures = read(headers, 'webhook-signature')
  if (id === undefined || signatures === undefined || !seconds || !/^\d{1,15}$/.test(seconds))
    return undefined
  return { id, timestampSeconds: Number(seconds), signatures }
}

function read(headers: WebhookHeaders, name: string): string | undefined {
  if ('get' in headers && typeof headers.get === 'function') return headers.get(name) ?? undefined
  const all = headers as Readonly<Record<string, string | readonly string[] | undefined>>
  const found = Object.keys(all).find((each) => each.toLowerCase() === name)
  const value = found === undefined ? undefined : all[found]
  // Node and `fetch` join repeated headers in this way.
  return typeof value === 'object' ? value.join(', ') : value
}

function sameOrAbsent(header: string | undefined, value: string): boolean {
  return header === undefined || header === value
}

const rejectionTexts: Readonly<Record<WebhookRejection, string>> = {
  'no-signature': 'The delivery is not signed: a signature header is missing',
  'wrong-signature':
    'The signature does not match: another key signed it, or the body was changed in transit',
  stale: 'The delivery was sent too long ago, or the clocks differ',
  'headers-differ': 'The headers do not match the signed body',
  'malformed-body': 'The body is not an event of this service',
}
