import { isMadeReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Receipt } from './receipt.ts'

/**
 * Returns the payment URL of a receipt. The query string is informational: the payee and the redirect come
 * from the stored receipt.
 */
export function paymentUrl(baseUrl: string, receipt: Receipt): string {
  const redirect = receipt.redirectUrl ? `&redirect_url=${encodeURIComponent(receipt.redirectUrl)}` : ''
  return `${baseUrl}/portal/${encodeURIComponent(receipt.id)}?recipient=${receipt.merchant}${redirect}`
}

/** Returns the short payment URL. Only a generated id identifies the receipt without the recipient. */
export function shortPaymentUrl(baseUrl: string, { id, merchant }: Receipt): string {
  const path = `/pay/${encodeURIComponent(id)}`
  return isMadeReceiptId(id) ? `${baseUrl}${path}` : `${baseUrl}${path}?recipient=${merchant}`
}

/**
 * Returns the URL of a receipt page. With `access`, the signature of a private link, the page also shows the
 * buyer's data.
 */
export function receiptUrl(
  baseUrl: string,
  receipt: Pick<Receipt, 'merchant' | 'id'>,
  access?: string,
): string {
  const signature = access === undefined ? '' : `&access=${access}`
  return `${baseUrl}/receipt/${encodeURIComponent(receipt.id)}?recipient=${receipt.merchant}${signature}`
}
