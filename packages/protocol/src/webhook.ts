/** Maximum time for a 2xx response. See docs/contract.md#webhook-delivery. */
export const webhookTimeoutMs = 5_000

export const webhookRetryMs = 5_000

/** Delays of later attempts, each after the previous failure. Then {@link webhookDailyMs}. */
export const webhookScheduleMs: readonly number[] = [
  60_000, 300_000, 1_800_000, 3_600_000, 7_200_000, 18_000_000, 36_000_000,
]

export const webhookDailyMs = 86_400_000

/** Age in milliseconds (ten days) at which a failed attempt is the last. */
export const webhookGiveUpMs = 864_000_000

/** Maximum number of response bytes to read. The rest is discarded. */
export const webhookResponseBytes = 65_536

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
