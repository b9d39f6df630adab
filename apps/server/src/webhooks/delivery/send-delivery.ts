import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { webhookResponseBytes, webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import {
  type ClaimedDelivery,
  type DeliveryAttempt,
  type Exchange,
  keepExchange,
} from '../queued-delivery.ts'
import { signedHeaders } from '../sign.ts'
import { extendClaim } from '../store.ts'

/**
 * Signs a delivery with the API key that created its receipt, and sends it once.
 *
 * Returns `stopped` if `signal` aborted the send, and `taken` if the claim was lost. Neither counts as an
 * attempt.
 *
 * @param options.mayStillSend - Called immediately before the request. The result must remain valid for the
 * request's timeout.
 */
export async function sendDelivery(
  needs: { clock: Clock; outbound: Outbound; secrets: Secrets; log: Log },
  message: ClaimedDelivery,
  options: { readonly signal: AbortSignal; readonly mayStillSend: () => Promise<boolean> },
): Promise<DeliveryAttempt | 'stopped' | 'taken'> {
  const startedAt = needs.clock.now()
  const end = (
    status: number | undefined,
    reason: string | undefined,
    exchange?: Exchange,
  ): DeliveryAttempt => {
    return { startedAt, endedAt: needs.clock.now(), status, error: reason, ...(exchange && { exchange }) }
  }
  const apiKey = openKey(needs, message)
  if (!apiKey) return end(undefined, 'no-key')
  const headers = signedHeaders(message, apiKey, startedAt)
  if (!(await options.mayStillSend())) return 'taken'
  const outcome = await needs.outbound.request({
    method: 'POST',
    url: message.url,
    headers,
    body: message.body,
    timeoutMs: webhookTimeoutMs,
    maxResponseBytes: webhookResponseBytes,
    isBodyOptional: true,
    signal: options.signal,
  })
  if (outcome.kind === 'response') return end(outcome.status, undefined, keepExchange(headers, outcome))
  if (outcome.error === 'aborted') return 'stopped'
  return end(undefined, outcome.error, keepExchange(headers, undefined))
}

/**
 * Returns `undefined` if the key cannot be decrypted: only this attempt fails, and the delivery is retried.
 */
function openKey(needs: { secrets: Secrets; log: Log }, message: ClaimedDelivery): string | undefined {
  try {
    return needs.secrets.open(message.encryptedKey, apiKeyContext(message.merchant, message.keyId))
  } catch (error) {
    needs.log.error({ err: error, message: message.id }, 'the key that signs a webhook cannot be decrypted')
    return undefined
  }
}

/** Time to send a delivery and record the result. Afterwards, other processes may claim the delivery. */
export const claimMs = webhookTimeoutMs + 3_000

/** Shorter than the margin of a claim: an older claim must be renewed before the send. */
const trustClaimMs = 1_000

/**
 * Returns whether this process still holds the claim, and renews a claim older than a second.
 *
 * A paused process can lose its claim. Another process may then have sent this delivery and later ones.
 */
export async function keepClaim(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  message: ClaimedDelivery,
  claimedAt: UnixMs,
): Promise<boolean> {
  let knownAt = claimedAt
  while (Math.abs(clock.now() - knownAt) > trustClaimMs) {
    knownAt = clock.now()
    if (!(await extendClaim(db, message, addMs(knownAt, claimMs)))) return false
  }
  return true
}
