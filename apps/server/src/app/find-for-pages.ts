import { parseWallet } from '@sluice/protocol/wallet.ts'
import { findSettings } from '../merchants/find-settings.ts'
import { type Asked, getPayableReceipt } from '../payments/checkout/find-checkout.ts'
import type { Database } from '../platform/database/database.ts'
import { shortPaymentUrl } from '../receipts/payment-url.ts'
import { findBaseUrl } from '../site/find-brand.ts'

/** The shortest address of a receipt's checkout. @throws {Refusal} `not_found` as the checkout itself. */
export async function findPayUrl(
  db: Database,
  request: Asked & { readonly id: string },
  baseUrl: string,
): Promise<string> {
  const receipt = await getPayableReceipt({ db }, request.id, request)
  return shortPaymentUrl(await findBaseUrl(db, receipt.brandKey, baseUrl), receipt)
}

/** The origins whose pages may show the checkout of a merchant in a frame. */
export async function findEmbedOrigins(db: Database, wallet: string): Promise<readonly string[]> {
  const merchant = parseWallet(wallet)
  return merchant ? (await findSettings(db, merchant)).embedOrigins : []
}
