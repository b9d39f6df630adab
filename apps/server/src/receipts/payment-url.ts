import { isMadeReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Receipt } from './receipt.ts'

/**
 * Where the buyer pays a receipt made through the API (contract: POST /api/receipts).
 * What stands in the URL is for people and providers; payee and redirect come from the stored receipt.
 */
export function paymentUrl(baseUrl: string, receipt: Receipt): string {
  const redirect = receipt.redirectUrl ? `&redirect_url=${encodeURIComponent(receipt.redirectUrl)}` : ''
  return `${baseUrl}/portal/${encodeURIComponent(receipt.id)}?recipient=${receipt.merchant}${redirect}`
}

/** The shortest address of a receipt's checkout: for codes that are read from paper. */
export function shortPaymentUrl(baseUrl: string, { id, merchant }: Receipt): string {
  const path = `/pay/${encodeURIComponent(id)}`
  return isMadeReceiptId(id) ? `${baseUrl}${path}` : `${baseUrl}${path}?recipient=${merchant}`
}

/** Where a receipt is shown. With `access`, the signature of a private link, it shows the buyer's own data too. */
export function receiptUrl(
  baseUrl: string,
  receipt: Pick<Receipt, 'merchant' | 'id'>,
  access?: string,
): string {
  const signature = access === undefined ? '' : `&access=${access}`
  return `${baseUrl}/receipt/${encodeURIComponent(receipt.id)}?recipient=${receipt.merchant}${signature}`
}
