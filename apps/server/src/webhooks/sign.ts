import { createHmac } from 'node:crypto'
import { webhookKindOf } from '@sluice/protocol/api/webhook-body.ts'
import { ownBrandKey, webhookAgent, webhookHeaderPrefix } from '@sluice/protocol/brand.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { webhookHeaders } from '@sluice/protocol/webhook.ts'
import type { StandardStamp } from '@sluice/protocol/webhook-signature.ts'
import type { ClaimedDelivery } from './queued-delivery.ts'

/**
 * Returns an attempt's headers: `X-Service-*`, a partner brand's aliases of these, and the Standard Webhooks
 * headers.
 *
 * See docs/contract.md#webhook-signatures.
 */
export function signedHeaders(
  message: Pick<ClaimedDelivery, 'id' | 'brandKey' | 'deliveryId' | 'idempotencyKey' | 'body'>,
  apiKey: string,
  at: UnixMs,
): Record<string, string> {
  const stamp = { id: `msg_${message.id}`, timestampSeconds: Math.floor(at / 1000) }
  const service = {
    [webhookHeaders.signature]: signBody(apiKey, message.body),
    [webhookHeaders.event]: webhookKindOf(message.idempotencyKey),
    [webhookHeaders.delivery]: message.deliveryId,
    [webhookHeaders.idempotencyKey]: message.idempotencyKey,
    [webhookHeaders.timestamp]: String(at),
  }
  const prefix = webhookHeaderPrefix(message.brandKey)
  const branded = Object.entries(service).map(([name, value]) => [
    name.replace(webhookHeaderPrefix(ownBrandKey), prefix),
    value,
  ])
  return {
    'Content-Type': 'application/json',
    'User-Agent': webhookAgent(message.brandKey),
    ...Object.fromEntries(branded),
    ...service,
    [webhookHeaders.standardId]: stamp.id,
    [webhookHeaders.standardTimestamp]: String(stamp.timestampSeconds),
    [webhookHeaders.standardSignature]: signStandard(apiKey, stamp, message.body),
  }
}

/** Returns `X-Service-Signature`: an HMAC-SHA256 over the body, keyed with the API key as text. */
export function signBody(apiKey: string, body: string): string {
  return `sha256=${createHmac('sha256', apiKey).update(body).digest('hex')}`
}

/** Returns `webhook-signature` (Standard Webhooks 1.0.0), keyed with the bytes of the API key. */
export function signStandard(apiKey: string, { id, timestampSeconds }: StandardStamp, body: string): string {
  return `v1,${createHmac('sha256', apiKey).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`
}
