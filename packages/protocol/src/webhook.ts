/** A receiver has this long to answer 2xx (contract: Events, Delivery). */
export const webhookTimeoutMs = 5_000

/** The second attempt comes this long after the first one failed (contract: Events, Retry). */
export const webhookRetryMs = 5_000

/**
 * The waits of the reconciliation schedule, each after the attempt before it failed
 * (decisions: Webhooks and events); afterwards {@link webhookDailyMs}.
 */
export const webhookScheduleMs: readonly number[] = [
  60_000, 300_000, 1_800_000, 3_600_000, 7_200_000, 18_000_000, 36_000_000,
]

/** The wait between attempts once {@link webhookScheduleMs} is used up. */
export const webhookDailyMs = 86_400_000

/** A notification is given up on when its attempt at this age, or a later one, has failed: ten days. */
export const webhookGiveUpMs = 864_000_000

/** How much of a receiver's answer is read; the rest is dropped. */
export const webhookAnswerBytes = 65_536

/** The headers of a delivery, as the contract spells them and as Standard Webhooks does. */
export const webhookHeaders = {
  signature: 'X-Service-Signature',
  event: 'X-Service-Event',
  delivery: 'X-Service-Delivery',
  idempotencyKey: 'X-Service-Idempotency-Key',
  timestamp: 'X-Service-Timestamp',
  standardId: 'webhook-id',
  standardTimestamp: 'webhook-timestamp',
  standardSignature: 'webhook-signature',
} as const
