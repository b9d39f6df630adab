import type { ListReceiptsQuery } from '@sluice/protocol/api/receipts/filters.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { maxPageBytes, type Page, readCutPage, timeCursor } from '../../kernel/page.ts'
import { type FindingNeeds, findPlaces } from '../finding/find-places.ts'
import { isOpen, parseFilter } from '../finding/receipt-filter.ts'
import { cursorOf, parseOrder, type ReceiptPlace } from '../finding/receipt-order.ts'
import type { ListedReceipt, Receipt } from '../receipt.ts'
import { findReceipts, listReceipts } from '../store.ts'

/**
 * A page of the merchant's receipts under a filter, in the order asked for: newest first by default.
 *
 * @throws {Refusal} `invalid_input` for what the query must not hold, a limit outside 1–200, or a cursor of another
 * list: a cursor belongs to its filter and its order.
 */
export async function listReceiptsPage(
  needs: FindingNeeds,
  merchant: Wallet,
  query: ListReceiptsQuery,
): Promise<Page<ListedReceipt>> {
  const filter = parseFilter(query)
  const order = parseOrder(query)
  if (isOpen(filter) && order.by === 'createdAt' && order.isDescending)
    return readCutPage(query, newestCursor, (before, limit) =>
      listReceipts(needs.db, merchant, { limit, maxBytes: maxPageBytes }, before),
    )
  return readCutPage<Placed, ReceiptPlace>(query, cursorOf(filter, order), async (after, limit) => {
    const places = await findPlaces(needs, merchant, { filter, order }, { after, count: limit + 1 })
    const ids = places.slice(0, limit).map(({ id }) => id)
    const found = await findReceipts(needs.db, merchant, ids, maxPageBytes)
    const keys = new Map(places.map(({ id, key }) => [id, key]))
    const entries = found.map((receipt) => ({ ...receipt, key: keys.get(receipt.id) ?? 0n }))
    return { page: entries, hasMore: places.length > found.length }
  })
}

type Placed = Receipt & ReceiptPlace

const newestCursor = timeCursor('createdAt', parseReceiptId)
