import type { PageNeeds } from '../pages/register-pages.ts'
import { findCase } from '../payments/claims/find-case.ts'
import { findClaimable } from '../payments/claims/find-claimable.ts'
import { makeClaim } from '../payments/claims/make-claim.ts'
import { parseClaimWords } from '../payments/claims/parse-claim.ts'
import { findReceiptView } from '../payments/tracking/find-receipt-view.ts'
import { findBaseUrl } from '../site/find-brand.ts'
import type { RouteParts } from './routes.ts'
import type { CompleteConfig } from './runtime.ts'

/** What the pages of receipts and of claims take from the modules below. */
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
