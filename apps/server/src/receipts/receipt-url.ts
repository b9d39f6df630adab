import type { Receipt } from './receipt.ts'

/** Where a receipt is shown. With `access`, the signature of a private link, it shows the buyer's own data too. */
export function receiptUrl(
  baseUrl: string,
  receipt: Pick<Receipt, 'merchant' | 'id'>,
  access?: string,
): string {
  const signature = access === undefined ? '' : `&access=${access}`
  return `${baseUrl}/receipt/${encodeURIComponent(receipt.id)}?recipient=${receipt.merchant}${signature}`
}
