import type { Currency } from '../../receipts/receipt.ts'
import type { MoneyTracker } from './track-money.ts'

/** Public view of a receipt: no e-mail address, metadata or keys. */
export type ReceiptView = {
  readonly receiptId: string
  readonly recipient: string
  readonly brandKey: string
  readonly brandName: string
  readonly standing: ListedStatus
  readonly createdAt: number
  readonly paidAt: number | null
  readonly currency: Currency
  readonly lines: readonly ReceiptLineView[]
  readonly tax: ReceiptTax | null
  readonly totals: ReceiptTotals
  readonly valuation: FixedRate | null
  readonly chain: { readonly name: string; readonly explorerUrl: string | null }
  readonly payments: readonly ReceiptPayment[]
  readonly paymentsOmitted: number
  readonly tracker: MoneyTracker | null
  readonly refunds: readonly ReceiptRefund[]
  /** Set only for holders of the signed link. */
  readonly buyer: BuyerData | null
}

export type ListedStatus =
  | 'unpaid'
  | 'cancelled'
  | 'bank-pending'
  | 'paid'
  | 'reversed'
  | 'refund-requested'
  | 'partly-refunded'
  | 'refunded'

/** A line item; `amount` is the line total in the receipt's currency. */
export type ReceiptLineView = {
  readonly label: string
  readonly qty: number | null
  readonly amount: number
}

export type ReceiptTax = {
  readonly amount: number
  /** Fraction: `0.19` is 19%. */
  readonly rate: number | null
  readonly jurisdictionCode: string | null
}

/** `total` is in the receipt's currency, the other amounts in US dollars. */
export type ReceiptTotals = {
  readonly total: number
  readonly totalUsd: number
  readonly feeUsd: number
  readonly customerTotalUsd: number
}

export type FixedRate = {
  readonly unit: string
  readonly usdPerUnit: number
  readonly quotedAt: number
  readonly provider: string
}

export type ReceiptPayment = {
  /** Null for a native transfer without a transaction. */
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

export type ReceiptRefund = {
  readonly kind: 'price' | 'excess'
  readonly usd: number
  readonly transactionHash: string | null
  /** `recorded`: entered by the merchant. `sent`: not final yet. `confirmed`: verified on the chain. */
  readonly state: 'recorded' | 'sent' | 'confirmed'
  readonly at: number
}

export type BuyerData = {
  readonly name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly address: readonly string[]
}
