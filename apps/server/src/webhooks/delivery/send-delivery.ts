import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { webhookAnswerBytes, webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
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
 * Signs a notice with the key its receipt was made with and sends it, once.
 *
 * Whatever happens is an attempt; `stopped` where `signal` ended it, and `taken` where it was not to be sent any more,
 * which are none.
 *
 * @param options.mayStillSend - Asked when all is ready, right before the request. Its yes holds for as long as the
 * time limit of the request, which is measured.
 */
export async function sendDelivery(
  needs: { clock: Clock; outbound: Outbound; secrets: Secrets; log: Log },
  notice: ClaimedDelivery,
  options: { readonly signal: AbortSignal; readonly mayStillSend: () => Promise<boolean> },
): Promise<DeliveryAttempt | 'stopped' | 'taken'> {
  const startedAt = needs.clock.now()
  const end = (
    status: number | undefined,
    fault: string | undefined,
    exchange?: Exchange,
  ): DeliveryAttempt => {
    return { startedAt, endedAt: needs.clock.now(), status, fault, ...(exchange && { exchange }) }
  }
  const apiKey = openKey(needs, notice)
  if (!apiKey) return end(undefined, 'no-key')
  const headers = signedHeaders(notice, apiKey, startedAt)
  if (!(await options.mayStillSend())) return 'taken'
  const outcome = await needs.outbound.request({
    method: 'POST',
    url: notice.url,
    headers,
    body: notice.body,
    timeoutMs: webhookTimeoutMs,
    maxResponseBytes: webhookAnswerBytes,
    isBodyOptional: true,
    signal: options.signal,
  })
  if (outcome.kind === 'answer') return end(outcome.status, undefined, keepExchange(headers, outcome))
  if (outcome.fault === 'aborted') return 'stopped'
  return end(undefined, outcome.fault, keepExchange(headers, undefined))
}

/** A key that does not open (another master key, say) fails the attempt, not the round: the schedule goes on. */
function openKey(needs: { secrets: Secrets; log: Log }, notice: ClaimedDelivery): string | undefined {
  try {
    return needs.secrets.open(notice.sealedKey, apiKeyContext(notice.merchant, notice.keyId))
  } catch (error) {
    needs.log.error({ err: error, notice: notice.id }, 'the key that signs a webhook cannot be decrypted')
    return undefined
  }
}

/** Time to send and to write down what came of it; afterwards a notice is anyone's again. */
export const claimMs = webhookTimeoutMs + 3_000

/** Shorter than a claim is held by one who does not renew it: beyond that, others may have the notice. */
const trustClaimMs = 1_000

/**
 * Whether a notice is still claimed for this process, which may have stood still since it claimed it. Then others may
 * have sent it meanwhile, and what came after it. A claim that is not quite new is renewed.
 */
export async function keepClaim(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  notice: ClaimedDelivery,
  claimedAt: UnixMs,
): Promise<boolean> {
  let knownAt = claimedAt
  while (Math.abs(clock.now() - knownAt) > trustClaimMs) {
    knownAt = clock.now()
    if (!(await extendClaim(db, notice, addMs(knownAt, claimMs)))) return false
  }
  return true
}
