import type { components } from '../../api/schema.d.ts'

/** A refund as the service takes it. */
export type RefundRequest = {
  receiptId: string
  wallet: string
  buyer: string
  usd: number
  items?: { label: string; priceUsd: number; qty?: number }[]
  txHash?: string
  excess?: boolean
}

/** How it is paid: now by the wallet, with a transaction that was sent before, or outside the chain. */
export type RefundWay = 'wallet' | 'sent' | 'elsewhere'

/** Two merchants may have a receipt of one id. */
const keyOf = (wallet: string, receiptId: string) => `sluice:refund:${wallet.toLowerCase()}:${receiptId}`

/** Keeps a refund whose money was sent until the service knows it: a closed tab must not forget it. */
export function keepRefund(request: RefundRequest): void {
  try {
    localStorage.setItem(keyOf(request.wallet, request.receiptId), JSON.stringify(request))
  } catch {
    // Storage is full or forbidden: the screen itself still has it.
  }
}

/** A refund that was sent and that the service does not know yet. */
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

/** Forgets it: the service knows it. */
export function dropKeptRefund({ wallet, receiptId }: RefundRequest): void {
  try {
    localStorage.removeItem(keyOf(wallet, receiptId))
  } catch {
    // It is not shown once the service knows it.
  }
}
