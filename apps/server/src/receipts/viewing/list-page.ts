import type { ListReceiptsQuery } from '@sluice/protocol/api/receipts/filters.ts'
import { parseReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { maxPageBytes, readEndedPage, timeCursor } from '../../kernel/page.ts'
import { type FindingNeeds, findPlaces } from '../finding/find-places.ts'
import { isOpen, parseFilter } from '../finding/receipt-filter.ts'
import { cursorOf, parseOrder } from '../finding/receipt-order.ts'
import { listNewest, listThese } from './list-store.ts'

/**
 * A page of the merchant's receipts under a filter, in the order asked for: newest first by default. It is the answer
 * of GET /api/receipts as JSON, which the database writes.
 *
 * @throws {Refusal} `invalid_input` for what the query must not hold, a limit outside 1–200, or a cursor of another
 * list: a cursor belongs to its filter and its order.
 */
export async function listReceiptsPage(
  needs: FindingNeeds,
  merchant: Wallet,
  query: ListReceiptsQuery,
): Promise<string> {
  const { entries, nextCursor } = await findPage(needs, merchant, query)
  return `{"receipts":[${entries}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

async function findPage(
  needs: FindingNeeds,
  merchant: Wallet,
  query: ListReceiptsQuery,
): Promise<{ readonly entries: string; readonly nextCursor: string | null }> {
  const filter = parseFilter(query)
  const now = needs.deadlines.now()
  const order = parseOrder(query)
  if (isOpen(filter) && order.by === 'createdAt' && order.isDescending)
    return readEndedPage(query, newestCursor, (before, limit) =>
      listNewest(needs.db, merchant, { limit, maxBytes: maxPageBytes, now }, before),
    )
  return readEndedPage(query, cursorOf(filter, order), async (after, limit) => {
    const places = await findPlaces(needs, merchant, { filter, order }, { after, count: limit + 1 })
    const ids = places.slice(0, limit).map(({ id }) => id)
    const { entries, count } = await listThese(needs.db, merchant, ids, { maxBytes: maxPageBytes, now })
    return { entries, last: places[count - 1], hasMore: places.length > count }
  })
}

const newestCursor = timeCursor('createdAt', parseReceiptId)
