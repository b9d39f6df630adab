export type Sale = {
  readonly receiptId: string
  readonly paymentUrl: string
  readonly total: number
  readonly currency: string
  readonly label: string
  readonly lines: readonly { readonly label: string; readonly priceUsd: number; readonly amount?: number }[]
}
