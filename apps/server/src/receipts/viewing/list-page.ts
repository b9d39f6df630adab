import type { ListReceiptsQuery } from '@sluice/protocol/api/receipts/filters.ts'
import type { ReceiptListItem } from '@sluice/protocol/api/receipts/receipts.ts'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { maxUnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { maxPageBytes, readEndedPage, timeCursor } from '../../kernel/page.ts'
import { count } from '../../platform/database/columns.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import { type FindingNeeds, findPlaces } from '../finding/find-places.ts'
import { cursorOf, isOpen, parseFilter, parseOrder } from '../finding/receipt-filter.ts'
import { findReceipts } from '../store.ts'
import { bytesOf, listedTable } from '../table.ts'
import { viewListItem } from './view-receipt.ts'

/**
 * Returns a page of the merchant's receipts.
 *
 * @throws {ApiError} `invalid_input` for an invalid query, a limit outside 1–200, or a cursor of another
 * filter or order.
 */
export async function listReceiptsPage(
  needs: FindingNeeds,
  merchant: Wallet,
  query: ListReceiptsQuery,
): Promise<{ receipts: ReceiptListItem[]; nextCursor: string | null }> {
  const { page, nextCursor } = await findPage(needs, merchant, query)
  const now = needs.deadlines.now()
  return { receipts: page.map((receipt) => viewListItem(receipt, now)), nextCursor }
}

async function findPage({ db, ...needs }: FindingNeeds, merchant: Wallet, query: ListReceiptsQuery) {
  const filter = parseFilter(query)
  const order = parseOrder(query)
  if (isOpen(filter) && order.by === 'createdAt' && order.isDescending)
    return readEndedPage(query, newestCursor, async (before = newest, limit) => {
      const rows = await db.rows(list({ merchant, before, count: limit + 1, limit, maxBytes: maxPageBytes }))
      const page = rows.map(({ receipt }) => receipt)
      return { page, last: page.at(-1), hasMore: (rows[0]?.found ?? 0) > page.length }
    })
  return readEndedPage(query, cursorOf(filter, order), async (after, limit) => {
    const places = await findPlaces(
      { db, ...needs },
      merchant,
      { filter, order },
      { after, count: limit + 1 },
    )
    const ids = places.slice(0, limit).map(({ id }) => id)
    const page = await findReceipts(db, merchant, ids, maxPageBytes)
    return { page, last: places[page.length - 1], hasMore: places.length > page.length }
  })
}

const newestCursor = timeCursor('createdAt', parseReceiptId)
const newest = { createdAt: maxUnixMs, id: '' as ReceiptId }

/**
 * Reads as many rows as fit into `maxBytes`, but at least one. The database measures them, so that no further
 * rows are transferred. `found` counts the measured rows.
 */
const list = statement({
  name: 'list-receipts',
  text: `SELECT ${columnsOf(listedTable)}, found FROM (
      SELECT *, count(*) OVER () AS found,
        sum(bytes) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
      FROM (
        SELECT merchant, ${columnsOf(listedTable)}, ${bytesOf('receipt')} AS bytes FROM receipt
        WHERE merchant = :merchant AND (created_at, id) < (:before.createdAt, :before.id)
        ORDER BY created_at DESC, id DESC LIMIT :count
      ) AS newest WHERE merchant = :merchant
    ) AS weighed WHERE merchant = :merchant AND bytes_before < :maxBytes::int8
    ORDER BY created_at DESC, id DESC LIMIT :limit`,
  reads: { receipt: listedTable, found: count() },
})
