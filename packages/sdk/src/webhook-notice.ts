import type { ReceiptStatus } from './wire.ts'

/** What a webhook, and an event of the feed, tells: the status of a receipt changed. */
export type WebhookNotice = {
  readonly event: 'receipt.status_updated'
  /** The same however often the notice is sent: deduplicate by it. */
  readonly idempotencyKey: string
  readonly receiptId: string
  readonly status: ReceiptStatus
  readonly previousStatus: ReceiptStatus
  /** Null unless the status is `failed`, as the five below. */
  readonly failureCode: string | null
  readonly failureCategory:
    | 'card_decline'
    | 'compliance'
    | 'limits'
    | 'blockchain'
    | 'session'
    | 'system'
    | null
  readonly failureReason: string | null
  readonly failureAction: string | null
  readonly providerErrorCode: string | null
  readonly providerRequestId: string | null
  readonly transactionHash: string | null
  readonly buyerWallet: string | null
  readonly merchantWallet: string
  /** The merchant's total in US dollars. */
  readonly totalUsd: number
  /** With the processing fee; left out when not available. */
  readonly customerTotalUsd?: number
  /** What the payment provider settled from, in US dollars; left out when not available. */
  readonly providerSourceAmountUsd?: number
  readonly token: string
  readonly providerSessionId: string | null
  readonly isProviderSessionUnique: boolean
  /** Your own reference, given when the receipt was made. */
  readonly transactionId: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly brandKey: string
  /** When the event happened, in Unix milliseconds. */
  readonly timestamp: number
  /** Grows with every change of the receipt: of two notices the one with the higher number is newer. */
  readonly sequence: number
  /** The progress of the payment. `orphaned`: a block that paid was taken back by the chain. */
  readonly paymentState: string
}
