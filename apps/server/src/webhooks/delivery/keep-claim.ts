import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { webhookTimeoutMs } from '@sluice/protocol/webhook.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { ClaimedDelivery } from '../queued-delivery.ts'
import { extendClaim } from '../store.ts'

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
