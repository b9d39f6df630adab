import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Exchange } from './exchange.ts'

/** Where a notice stands: only a pending one is sent again. */
export type DeliveryState = 'pending' | 'delivered' | 'superseded' | 'exhausted'

/** A due notice as the choice of what to send next sees it. */
export type DueDelivery = {
  readonly merchant: string
  readonly id: string
  /** Host and port of the receiver. */
  readonly host: string
  readonly nextAt: UnixMs
  /** 0 for the first two attempts: only later ones may be superseded. */
  readonly cycle: number
  /** From 1: its place among the merchant's due notices. */
  readonly place: number
}

/** A notice this process has claimed: until the claim ends nobody else sends it. */
export type ClaimedDelivery = {
  readonly merchant: string
  readonly id: string
  readonly subject: string
  readonly sequence: bigint
  readonly brandKey: string
  readonly url: string
  readonly host: string
  readonly keyId: string
  readonly sealedKey: string
  readonly idempotencyKey: string
  readonly body: string
  readonly deliveryId: string
  /** Attempts made so far. */
  readonly attemptCount: number
  /** 0 for the first two attempts. */
  readonly cycle: number
  readonly createdAt: UnixMs
  readonly dueAt: UnixMs
  readonly claimToken: string
}

/** One attempt, ended: delivered exactly when `status` is 2xx. */
export type DeliveryAttempt = {
  readonly startedAt: UnixMs
  readonly endedAt: UnixMs
  /** The receiver's; `undefined` where no answer came. */
  readonly status: number | undefined
  /** Why no answer came. */
  readonly fault: string | undefined
  /** Absent where nothing was sent. */
  readonly exchange?: Exchange
}

/** Whether the receiver has taken the notice (contract: Events, Delivery). */
export function isDelivered(attempt: DeliveryAttempt): boolean {
  return attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300
}
