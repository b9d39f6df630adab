import type { paymentStates } from '@sluice/protocol/api/receipts/receipts.ts'
import type { FailureFields } from '@sluice/protocol/failures.ts'
import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Valuation } from '../pricing/valuation.ts'

/** Line of a receipt. `usdCents` is the extended amount: it includes the quantity. */
export type ReceiptLine = {
  readonly label: string
  readonly qty: number | undefined
  readonly usdCents: Cents
  /** Price as sent, for legacy lines. Some callers send the price per unit. */
  readonly sentUsdCents: Cents | undefined
  /** Extended amount in the receipt's currency, for native lines. */
  readonly nativeCents: Cents | undefined
}

/** Currency of a receipt. All accounting is in US cents. */
export type Currency = 'USD' | 'EUR'

export type Pricing = {
  readonly valuation: Valuation
  readonly originalTotal: Cents
  readonly originalLines: readonly {
    readonly label: string
    readonly qty: number | undefined
    readonly nativeCents: Cents
  }[]
}

export type Tax = {
  readonly jurisdictionCode: string | undefined
  readonly taxRate: number | undefined
  readonly taxComponents: readonly string[] | undefined
}

export type Billing = {
  readonly firstName?: string
  readonly lastName?: string
  readonly phone?: string
  readonly email?: string
  readonly line1?: string
  readonly line2?: string
  readonly city?: string
  readonly state?: string
  readonly zip?: string
  readonly country?: string
}

/** Progress of the payments, as shown by `payment.state` in the API. It is not the status. */
export type PaymentState = (typeof paymentStates)[number]

/**
 * Summary of a receipt's payments, written by `payments`. Amounts are base units of `token`, the token of the
 * current attempt. `received` covers only that token. `due`, `missing` and `excess` cover all tokens,
 * converted to `token`.
 */
export type PaymentSummary = {
  readonly state: PaymentState
  readonly token: string
  readonly decimals: number
  readonly due: TokenUnits
  readonly received: TokenUnits
  readonly missing: TokenUnits
  readonly excess: TokenUnits
  readonly others: readonly OtherToken[]
  /**
   * Value of all credited payments in cents, rounded down. Zero in rows from releases that did not store it.
   */
  readonly creditedCents: Cents
  readonly blockNumber: bigint | undefined
  readonly finality: 'none' | 'seen' | 'safe' | 'final'
}

/** Amount that was received in a token other than the current one. */
export type OtherToken = { readonly token: string; readonly decimals: number; readonly units: TokenUnits }

/** Session of a card or bank payment, as shown on the receipt. */
export type ProviderSession = {
  readonly provider: string
  readonly sessionId: string
  /** Amount that the provider charged the buyer, in US cents. */
  readonly sourceCents: Cents | undefined
  /**
   * Whether a signed event from the provider states that the session is paid. The delivery may be pending.
   */
  readonly isPaid: boolean
  /**
   * State of the provider's delivery. `overdue`: incomplete at the deadline. `reversed`: withdrawn by the
   * provider. `accepted`: an admin accepted the receipt as paid.
   */
  readonly delivery?: 'overdue' | 'reversed' | 'accepted' | undefined
}

/**
 * A payment request and its state. The merchant and the id identify it. Only `changeStatus` changes the
 * status.
 */
export type Receipt = {
  readonly merchant: Wallet
  readonly id: ReceiptId
  readonly status: ReceiptStatus
  readonly origin: 'api' | 'order' | 'terminal' | 'local'
  readonly format: 'legacy' | 'native'
  readonly currency: Currency
  readonly totalCents: Cents
  /** Processing fee on top of the total, fixed at creation. Not a line. */
  readonly feeCents: Cents
  /** Fee rate in hundredths of a percent. An edited total uses this rate. */
  readonly feeHundredths: bigint
  readonly nativeTotalCents: Cents | undefined
  readonly lines: readonly ReceiptLine[]
  readonly pricing: Pricing | undefined
  readonly tax: Tax | undefined
  readonly brandKey: string
  readonly brandName: string
  readonly redirectUrl: string | undefined
  readonly returnUrl: string | undefined
  readonly webhookUrl: string | undefined
  readonly onSuccess: string | undefined
  readonly providerEmail: string | undefined
  readonly billing: Billing | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly transactionId: string | undefined
  /** Hash of the parsed content. Reposting the same content returns the same receipt. */
  readonly contentHash: string
  /** API key that signs the receipt's webhooks. `encryptedKey` is encrypted. */
  readonly keyId: string | undefined
  readonly encryptedKey: string | undefined
  /** Pinned at creation, or at the first attempt if the merchant had no split before. */
  readonly splitVersion: bigint | undefined
  readonly expiresAt: UnixMs | undefined
  /** Time at which the merchant cancelled the payment request. The status does not change. */
  readonly cancelledAt: UnixMs | undefined
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
  readonly failure: FailureFields | undefined
  readonly transactionHash: string | undefined
  readonly transactionAt: UnixMs | undefined
  readonly token: string | undefined
  readonly paidUnits: TokenUnits | undefined
  readonly buyerWallet: Wallet | undefined
  readonly payment: PaymentSummary | undefined
  /** Latest attempt that a buyer opened. A failure of any other attempt is stale. */
  readonly currentAttempt: string | undefined
  /** Session that decided the status, or else the newest session. */
  readonly providerSession: ProviderSession | undefined
  /** Part of the price that counted refunds cover. */
  readonly refundedCents: Cents
  /** Number of history rows. The next entry gets this number plus one. */
  readonly historyCount: bigint
}

export type ListedReceipt = Pick<
  Receipt,
  | 'id'
  | 'totalCents'
  | 'currency'
  | 'lines'
  | 'createdAt'
  | 'brandName'
  | 'status'
  | 'nativeTotalCents'
  | 'pricing'
  | 'cancelledAt'
  | 'expiresAt'
  | 'payment'
  | 'failure'
  | 'refundedCents'
>

/** State of a receipt for a buyer who is about to pay. */
export type Standing = 'open' | 'paid' | 'settling' | 'cancelled' | 'expired'

/**
 * Returns whether a receipt can be paid, or the reason if it cannot.
 *
 * @param now - Chain time, which decides deadlines.
 */
export function standingOf(
  receipt: {
    readonly status: ReceiptStatus
    readonly cancelledAt: number | null | undefined
    readonly expiresAt: number | null | undefined
  },
  now: UnixMs,
): Standing {
  if (isSettled(receipt.status)) return 'paid'
  if (receipt.status === 'paid - ach pending') return 'settling'
  if (receipt.cancelledAt != null) return 'cancelled'
  return isPast(receipt.expiresAt, now) ? 'expired' : 'open'
}

/** Returns whether a deadline has passed. A missing deadline never passes. */
export function isPast(expiresAt: number | null | undefined, now: UnixMs): boolean {
  return expiresAt != null && expiresAt <= now
}

/** Returns the amount due: the total and the processing fee. */
export function customerTotalCents(receipt: Pick<Receipt, 'totalCents' | 'feeCents'>): Cents {
  return (receipt.totalCents + receipt.feeCents) as Cents
}

/**
 * Returns the proof that a receipt is paid: a chain payment, else a signed event from a provider, else an
 * admin's statement. Returns `undefined` if the receipt is unpaid.
 */
export function proofOf(receipt: Receipt): 'chain' | 'provider' | 'admin' | undefined {
  if (receipt.status === 'paid - ach pending') return 'provider'
  if (!isSettled(receipt.status)) return undefined
  if (receipt.paidUnits !== undefined) return 'chain'
  return receipt.providerSession?.isPaid ? 'provider' : 'admin'
}

/**
 * Returns the unresolved problem of a provider's delivery. Returns `undefined` once the chain, a refund or an
 * admin resolved it.
 */
export function openDelivery(receipt: Receipt): 'overdue' | 'reversed' | undefined {
  const { status, paidUnits, providerSession } = receipt
  const delivery = providerSession?.delivery
  const isOver = paidUnits !== undefined || status === 'failed' || status === 'refunded'
  return isOver || delivery === 'accepted' ? undefined : delivery
}

/** Returns whether a receipt has buyer data, which only the signed link shows. */
export function hasBuyerData({
  billing,
  providerEmail,
}: Pick<Receipt, 'billing' | 'providerEmail'>): boolean {
  return providerEmail !== undefined || (billing !== undefined && Object.values(billing).some(Boolean))
}
