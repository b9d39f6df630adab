import type { PageNeeds } from '../pages/register-pages.ts'
import { findReceiptView } from '../payments/tracking/find-receipt-view.ts'
import { findBaseUrl } from '../site/find-brand.ts'
import type { RouteParts } from './routes.ts'
import type { CompleteConfig } from './runtime.ts'

/** What the pages of receipts take from the modules below. */
export function receiptPageParts(parts: RouteParts, config: CompleteConfig): Pick<PageNeeds, 'receipts'> {
  return {
    receipts: {
      find: (asked) => findReceiptView(parts, asked.id, asked),
      baseUrl: (brandKey) => findBaseUrl(parts.db, brandKey, config.baseUrl),
    },
  }
}
