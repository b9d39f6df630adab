import type { components } from '../../api/schema.d.ts'

export type RefundRequest = {
  receiptId: string
  wallet: string
  buyer: string
  usd: number
  items?: { label: string; priceUsd: number; qty?: number }[]
  txHash?: string
  excess?: boolean
}

/** Way to pay a refund: now with the wallet, with an earlier transaction, or off-chain. */
export type RefundWay = 'wallet' | 'sent' | 'elsewhere'

/** Receipt IDs are unique only per merchant. */
const keyOf = (wallet: string, receiptId: string) => `sluice:refund:${wallet.toLowerCase()}:${receiptId}`

/** Stores a paid refund until the service has recorded it, so that closing the tab does not lose it. */
export function keepRefund(request: RefundRequest): void {
  try {
    localStorage.setItem(keyOf(request.wallet, request.receiptId), JSON.stringify(request))
  } catch {
    // Storage is full or blocked. The screen still holds the refund.
  }
}

/** Returns the stored refund, unless the service has recorded it. */
export function readKeptRefund(
  receipt: components['schemas']['ReceiptDetail'],
  wallet: string,
): RefundRequest | undefined {
  try {
    const kept = JSON.parse(
      localStorage.getItem(keyOf(wallet, receipt.receiptId)) ?? 'null',
    ) as RefundRequest | null
    const hash = kept?.txHash?.toLowerCase()
    const isKnown = receipt.refunds.some(({ txHash }) => txHash?.toLowerCase() === hash)
    return kept && hash && !isKnown ? kept : undefined
  } catch {
    return undefined
  }
}

export function dropKeptRefund({ wallet, receiptId }: RefundRequest): void {
  try {
    localStorage.removeItem(keyOf(wallet, receiptId))
  } catch {
    // `readKeptRefund` ignores a refund that the service has recorded.
  }
}
