import type { paymentStates } from '@sluice/protocol/api/receipts/receipts.ts'
import type { FailureFields } from '@sluice/protocol/failures.ts'
import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { isSettled, type ReceiptStatus } from '@sluice/protocol/receipt-status.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Valuation } from '../pricing/valuation.ts'

/** One line of a receipt. `usdCents` is extended: it includes the quantity. */
export type ReceiptLine = {
  readonly label: string
  readonly qty: number | undefined
  readonly usdCents: Cents
  /** Legacy lines: the price as it was sent, which some callers mean per unit. */
  readonly sentUsdCents: Cents | undefined
  /** Native lines: the extended amount in the receipt's currency. */
  readonly nativeCents: Cents | undefined
}

/** The money a receipt is denominated in. */
export type Currency = 'USD' | 'EUR'

/** What a native receipt was made with. */
export type Pricing = {
  readonly valuation: Valuation
  readonly originalTotal: Cents
  readonly originalLines: readonly {
    readonly label: string
    readonly qty: number | undefined
    readonly nativeCents: Cents
  }[]
}

/** How the tax was arrived at; the amounts are ordinary lines. */
export type Tax = {
  readonly jurisdictionCode: string | undefined
  readonly taxRate: number | undefined
  readonly taxComponents: readonly string[] | undefined
}

/** The buyer's billing address as it was given. */
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

/** How far the money is (decisions: Receipts, detail view). */
export type PaymentState = (typeof paymentStates)[number]

/**
 * The payment side of a receipt in one glance, written by `payments` whenever it changes.
 * Amounts are base units of `token`, the token of the attempt that counts. `received` is what came in that token;
 * `due`, `missing` and `excess` are about all tokens, expressed in it.
 */
export type PaymentSummary = {
  readonly state: PaymentState
  readonly token: string
  readonly decimals: number
  readonly due: TokenUnits
  readonly received: TokenUnits
  readonly missing: TokenUnits
  readonly excess: TokenUnits
  /** Amounts that came in other tokens. */
  readonly others: readonly OtherToken[]
  /** Worth of all credited payments, in cents rounded down. Zero in rows of releases that did not store it. */
  readonly creditedCents: Cents
  /** Height of the newest payment that counts; confirmations are counted from it. */
  readonly blockNumber: bigint | undefined
  readonly finality: 'none' | 'seen' | 'safe' | 'final'
}

/** An amount that came for a receipt in another token than the one that counts. */
export type OtherToken = { readonly token: string; readonly decimals: number; readonly units: TokenUnits }

/** A session of a card or bank provider, as the receipt shows it. It belongs to this receipt alone. */
export type ProviderSession = {
  readonly provider: string
  readonly sessionId: string
  /** What the buyer was charged there, in US cents. */
  readonly sourceCents: Cents | undefined
  /** The provider signed that it was paid. The delivery may still be on its way. */
  readonly isPaid: boolean
  /**
   * What was reported of its delivery: `overdue`, it did not arrive whole in time; `reversed`, the provider took its word
   * back; `accepted`, an admin took the receipt for paid all the same.
   */
  readonly delivery?: 'overdue' | 'reversed' | 'accepted' | undefined
}

/** A merchant's receipt. */
export type Receipt = {
  readonly merchant: Wallet
  readonly id: ReceiptId
  readonly status: ReceiptStatus
  /** Who made it: a developer's call, an order, the point of sale, or Sluice's own demo. */
  readonly origin: 'api' | 'order' | 'terminal' | 'local'
  readonly format: 'legacy' | 'native'
  readonly currency: Currency
  /** The merchant's order total in US cents. */
  readonly totalCents: Cents
  /** The processing fee on top, fixed at creation; no line. */
  readonly feeCents: Cents
  /** The fee's rate in hundredths of a percent: an edited total is charged at it too. */
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
  /** Of the parsed content: the same content posted again is the same receipt. */
  readonly contentHash: string
  /** The API key that signs this receipt's webhooks, sealed, and its id. */
  readonly keyId: string | undefined
  readonly sealedKey: string | undefined
  /** Pinned at creation, or at the first attempt where there was no split yet. */
  readonly splitVersion: bigint | undefined
  readonly expiresAt: UnixMs | undefined
  /** When the merchant took the request to pay back; its status stays what it was. */
  readonly cancelledAt: UnixMs | undefined
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
  readonly failure: FailureFields | undefined
  readonly transactionHash: string | undefined
  readonly transactionAt: UnixMs | undefined
  /** Symbol of the token it was paid in. */
  readonly token: string | undefined
  readonly paidUnits: TokenUnits | undefined
  readonly buyerWallet: Wallet | undefined
  readonly payment: PaymentSummary | undefined
  /** The attempt a buyer asked for last: a failure of another one is stale. */
  readonly currentAttempt: string | undefined
  /** The provider's session that decided about it, else the newest. */
  readonly providerSession: ProviderSession | undefined
  /** What of the price is known to be given back: the refunds that count. */
  readonly refundedCents: Cents
  /** How many history rows there are; the next takes this number plus one. */
  readonly historyCount: bigint
}

/** What of a receipt a list shows. */
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

/** How a receipt stands for whoever is about to pay it: to be paid, or why not. */
export type Standing = 'open' | 'paid' | 'settling' | 'cancelled' | 'expired'

/**
 * How a receipt, or what a checkout shows of one, stands at `now`.
 *
 * @param now - The time of deadlines.
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

/** Whether a receipt that ends at `expiresAt` has ended. */
export function isPast(expiresAt: number | null | undefined, now: UnixMs): boolean {
  return expiresAt != null && expiresAt <= now
}

/** What the buyer is asked for: the merchant's total and the processing fee. */
export function customerTotalCents(receipt: Pick<Receipt, 'totalCents' | 'feeCents'>): Cents {
  return (receipt.totalCents + receipt.feeCents) as Cents
}

/**
 * What proves that a receipt is paid: money on the chain, else a provider's signed word, else an admin's; `undefined`
 * while it is not.
 */
export function proofOf(receipt: Receipt): 'chain' | 'provider' | 'admin' | undefined {
  if (receipt.status === 'paid - ach pending') return 'provider'
  if (!isSettled(receipt.status)) return undefined
  if (receipt.paidUnits !== undefined) return 'chain'
  return receipt.providerSession?.isPaid ? 'provider' : 'admin'
}

/** What is open about the delivery of a provider; `undefined` once the chain, a refund or an admin has settled it. */
export function openDelivery(receipt: Receipt): 'overdue' | 'reversed' | undefined {
  const { status, paidUnits, providerSession } = receipt
  const delivery = providerSession?.delivery
  const isOver = paidUnits !== undefined || status === 'failed' || status === 'refunded'
  return isOver || delivery === 'accepted' ? undefined : delivery
}

/** Whether something is known of the buyer that only the signed link shows. */
export function hasBuyerData({
  billing,
  providerEmail,
}: Pick<Receipt, 'billing' | 'providerEmail'>): boolean {
  return providerEmail !== undefined || (billing !== undefined && Object.values(billing).some(Boolean))
}
