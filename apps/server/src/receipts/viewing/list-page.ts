import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { maxPageBytes, type Page, type PageQuery, readCutPage, timeCursor } from '../../kernel/page.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Receipt } from '../receipt.ts'
import { listReceipts } from '../store.ts'

/**
 * A page of the merchant's receipts, newest first.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export function listReceiptsPage(
  needs: { db: Database },
  merchant: Wallet,
  query: PageQuery,
): Promise<Page<Receipt>> {
  return readCutPage(query, cursor, (before, limit) =>
    listReceipts(needs.db, merchant, { limit, maxBytes: maxPageBytes }, before),
  )
}

const cursor = timeCursor('createdAt', parseReceiptId)
