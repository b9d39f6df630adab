import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { maxPageBytes, type Page, type PageQuery, readCutPage, timeCursor } from '../kernel/page.ts'
import type { Database } from '../platform/database/database.ts'
import { type KnownOrder, listOrders } from './store.ts'

/**
 * A page of the merchant's orders, newest first.
 *
 * @throws {Refusal} `invalid_input` for a limit outside 1–200 or a cursor of another list.
 */
export function listOrdersPage(
  needs: { db: Database },
  merchant: Wallet,
  query: PageQuery,
): Promise<Page<KnownOrder>> {
  return readCutPage(query, cursor, (before, limit) =>
    listOrders(needs.db, merchant, { limit, maxBytes: maxPageBytes }, before),
  )
}

const cursor = timeCursor('createdAt', parseOrderId, 'order:')

function parseOrderId(text: string): KnownOrder['id'] | undefined {
  return /^R-[0-9A-Z]{26}$/.test(text) ? parseReceiptId(text) : undefined
}
