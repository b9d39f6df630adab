import { parseWallet } from '@sluice/protocol/wallet.ts'
import { findSettings } from '../access/settings/find-settings.ts'
import type { PageNeeds } from '../pages/register-pages.ts'
import { type Asked, getPayableReceipt } from '../payments/checkout/find-checkout.ts'
import { findCase } from '../payments/claims/find-case.ts'
import { findClaimable } from '../payments/claims/find-claimable.ts'
import { makeClaim, parseClaimWords } from '../payments/claims/make-claim.ts'
import { findReceiptView } from '../payments/tracking/find-receipt-view.ts'
import { respondToPayment, respondWithBill } from '../payments/x402/respond-to-payment.ts'
import type { Database } from '../platform/database/database.ts'
import { shortPaymentUrl } from '../receipts/payment-url.ts'
import { findBaseUrl } from '../site/find-brand.ts'
import { checkoutParts, type RouteParts } from './routes.ts'
import type { CompleteConfig } from './runtime.ts'

export function receiptPageParts(
  parts: RouteParts,
  config: CompleteConfig,
): Pick<PageNeeds, 'receipts' | 'claims'> {
  const { name, explorerUrl } = parts.chain
  return {
    receipts: {
      find: (asked) => findReceiptView(parts, asked.id, asked),
      baseUrl: (brandKey) => findBaseUrl(parts.db, brandKey, config.baseUrl),
    },
    claims: {
      find: (hash, host) => findClaimable(parts, hash, host),
      async make(claim) {
        const words = parseClaimWords(claim)
        return (await makeClaim(parts, { ...claim, ...words, proven: undefined })).id
      },
      findCase: (id, host) => findCase(parts, id, host),
      chain: { name, explorerUrl: explorerUrl ?? null },
    },
  }
}

/**
 * Returns the shortest checkout URL of a receipt.
 *
 * @throws {ApiError} `not_found` as the checkout does.
 */
export async function findPayUrl(
  db: Database,
  request: Asked & { readonly id: string },
  baseUrl: string,
): Promise<string> {
  const receipt = await getPayableReceipt({ db }, request.id, request)
  return shortPaymentUrl(await findBaseUrl(db, receipt.brandKey, baseUrl), receipt)
}

export async function findEmbedOrigins(db: Database, wallet: string): Promise<readonly string[]> {
  const merchant = parseWallet(wallet)
  return merchant ? (await findSettings(db, merchant)).embedOrigins : []
}

export function respondToPrograms(
  parts: RouteParts,
  config: CompleteConfig,
): NonNullable<PageNeeds['respondToProgram']> {
  const needs = checkoutParts(parts, config)
  return (asked, payment) =>
    payment === undefined ? respondWithBill(needs, asked) : respondToPayment(needs, asked, payment)
}
