import { verifyBody, verifyStandard } from '@sluice/protocol/webhook-signature.ts'
import { SluiceError } from './errors.ts'
import type { WebhookEvent } from './webhook-event.ts'

export type { WebhookEvent } from './webhook-event.ts'

/** The headers of a request: of `fetch`, or as Node gives them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Why a delivery is not to be believed. */
export type WebhookFault = 'no-signature' | 'wrong-signature' | 'stale' | 'headers-differ' | 'malformed-body'

/** A delivery that is not to be believed. Answer 400 and change nothing. */
export class WebhookVerificationError extends SluiceError {
  readonly fault: WebhookFault

  constructor(fault: WebhookFault) {
    super(faultTexts[fault])
    this.fault = fault
  }
}

/** What a delivery is judged by. */
export type WebhookRules = {
  /**
   * The subscription keys that receipts were made with. During a rotation: the new and the old, since receipts
   * made before go on being signed with the old one.
   */
  readonly keys: string | readonly string[]
  /** How far the time of sending may be off, either way; five minutes where absent. */
  readonly toleranceMs?: number | undefined
  /**
   * What to do where the second signature, the only one that covers the time of sending, is not there: a proxy
   * may have dropped its headers. `refuse` where absent.
   */
  readonly withoutStamp?: 'refuse' | 'accept' | undefined
  /** Unix milliseconds; the machine's own clock where absent. */
  readonly now?: (() => number) | undefined
}

/**
 * The event in a delivery, once both its signatures are found right: `X-Service-Signature` over the body's
 * bytes, and `webhook-signature` (Standard Webhooks) over its id, the time it was sent and the body.
 *
 * A genuine delivery may still come twice and late: deduplicate by `idempotencyKey` and ask
 * `receipts.getStatus` before you act upon it.
 *
 * @param body - The raw bytes as they came, before any parser.
 * @throws {WebhookVerificationError}
 * @example
 * const event = await verifyWebhook(rawBody, request.headers, { keys: [key, oldKey] })
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  rules: WebhookRules,
): Promise<WebhookEvent> {
  const { toleranceMs = 300_000, withoutStamp = 'refuse', now = Date.now } = rules
  const keys = typeof rules.keys === 'string' ? [rules.keys] : rules.keys
  const signature = read(headers, 'x-service-signature')
  const stamp = readStamp(headers)
  if (signature === undefined || (!stamp && withoutStamp === 'refuse'))
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
 * The event in the body of a webhook or of an event of the feed, which somebody verified already.
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
  return typeof value === 'string' ? value : undefined
}

function sameOrAbsent(header: string | undefined, value: string): boolean {
  return header === undefined || header === value
}

const faultTexts: Readonly<Record<WebhookFault, string>> = {
  'no-signature': 'The delivery is not signed: a signature header is missing',
  'wrong-signature':
    'The signature does not match: another key signed it, or the body was changed in transit',
  stale: 'The delivery was sent too long ago, or the clocks differ',
  'headers-differ': 'The headers do not match the signed body',
  'malformed-body': 'The body is not an event of this service',
}
