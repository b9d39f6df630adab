import type { Currency } from '../../receipts/receipt.ts'
import type { MoneyTracker } from './track-money.ts'

/** A receipt as whoever has its address may see it: nothing of e-mail, metadata or keys. */
export type ReceiptView = {
  readonly receiptId: string
  /** The merchant's wallet, which the page's address names. */
  readonly recipient: string
  readonly brandKey: string
  readonly brandName: string
  readonly standing: ReceiptStanding
  readonly createdAt: number
  /** When it was paid; null while it is not. */
  readonly paidAt: number | null
  readonly currency: Currency
  readonly lines: readonly ReceiptLineView[]
  readonly tax: ReceiptTax | null
  readonly totals: ReceiptTotals
  readonly valuation: FixedRate | null
  readonly chain: { readonly name: string; readonly explorerUrl: string | null }
  readonly payments: readonly ReceiptPayment[]
  /** How many payments there are beyond those. */
  readonly paymentsOmitted: number
  readonly tracker: MoneyTracker | null
  readonly refunds: readonly ReceiptRefund[]
  /** Only for who holds the signed link, and only what was given. */
  readonly buyer: BuyerData | null
}

/** What a receipt says of itself in words. */
export type ReceiptStanding =
  | 'unpaid'
  | 'cancelled'
  | 'bank-pending'
  | 'paid'
  | 'reversed'
  | 'refund-requested'
  | 'partly-refunded'
  | 'refunded'

/** One line; the amount is of the whole line, in the receipt's currency. */
export type ReceiptLineView = {
  readonly label: string
  readonly qty: number | null
  readonly amount: number
}

/** The line that is the tax, and how it was arrived at. */
export type ReceiptTax = {
  readonly amount: number
  /** A fraction. */
  readonly rate: number | null
  readonly jurisdictionCode: string | null
}

/** `total` is in the receipt's currency; the fee, and with it what the customer pays, is in US dollars. */
export type ReceiptTotals = {
  readonly total: number
  readonly totalUsd: number
  readonly feeUsd: number
  readonly customerTotalUsd: number
}

/** A rate that was fixed, with its time and its source. */
export type FixedRate = {
  readonly unit: string
  readonly usdPerUnit: number
  readonly quotedAt: number
  readonly provider: string
}

/** Money that came for the receipt. */
export type ReceiptPayment = {
  /** Null for coin that no transaction of its own brought. */
  readonly transactionHash: string | null
  readonly payer: string | null
  /** Base units. */
  readonly amount: string
  readonly token: string
  readonly tokenAddress: string
  readonly decimals: number
  readonly at: number
  readonly isLate: boolean
  readonly isReversed: boolean
  readonly rate: FixedRate
}

/** Money that went back. */
export type ReceiptRefund = {
  readonly kind: 'price' | 'excess'
  readonly usd: number
  readonly transactionHash: string | null
  /** `recorded`: on the merchant's word; `sent`: not in a sure block yet; `confirmed`: the network shows it. */
  readonly state: 'recorded' | 'sent' | 'confirmed'
  readonly at: number
}

/** What the merchant knows of the buyer. */
export type BuyerData = {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  /** Lines of the address, as they are written below each other. */
  readonly address: readonly string[]
}
