import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import { bytesOf, listedTable } from '../table.ts'
import { listedEntry } from './listed-entry.ts'

/** Entries of a list as they are sent: JSON texts with commas between them, and how many there are. */
export type ListedEntries = { readonly entries: string; readonly count: number }

/** Where a page of the list ended. */
export type ListPlace = { readonly createdAt: number; readonly id: ReceiptId }

/**
 * The merchant's newest receipts, newest first, after the place `before` where one is given: as many as are asked
 * for, or as few as come to `maxBytes`, but one at least. The database weighs them, so that no more is read, and
 * writes them down as `viewListItem` shows them.
 */
export async function listNewest(
  db: Database,
  merchant: Wallet,
  room: { readonly limit: number; readonly maxBytes: number; readonly now: UnixMs },
  before?: ListPlace,
): Promise<ListedEntries & { readonly last: ListPlace | undefined; readonly hasMore: boolean }> {
  const asked = { merchant, ...room, count: room.limit + 1 }
  const row = await db.row(before ? listAfter({ ...asked, before }) : list(asked))
  const { entries = '', shown = 0, found = 0, createdAt, id } = row ?? {}
  const last = createdAt === undefined || id === undefined ? undefined : { createdAt, id }
  return { entries, count: shown, last, hasMore: found > shown }
}

/** The merchant's receipts with those ids, in their order: the first of them that come to `maxBytes`, one at least. */
export async function listThese(
  db: Database,
  merchant: Wallet,
  ids: readonly ReceiptId[],
  room: { readonly maxBytes: number; readonly now: UnixMs },
): Promise<ListedEntries> {
  const row = ids.length > 0 ? await db.row(listEach({ merchant, ids, ...room })) : undefined
  return { entries: row?.entries ?? '', count: row?.shown ?? 0 }
}

const own = 'merchant = :merchant'

/** Of the receipts of a page those before which there is room left, and how many there were. */
const upToBytes = <const After extends string>(isAfter: After) =>
  `SELECT string_agg(entry, ',') AS entries, count(*) AS shown, max(found) AS found, min(created_at) AS created_at,
    (array_agg(id))[count(*)::int4] AS id
  FROM (
    SELECT id, created_at, found, ${listedEntry} AS entry FROM (
      SELECT *, count(*) OVER () AS found,
        sum(bytes) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
      FROM (
        SELECT merchant, ${columnsOf(listedTable)}, standing, ${bytesOf('receipt')} AS bytes
        FROM receipt WHERE ${own} ${isAfter} ORDER BY created_at DESC, id DESC LIMIT :count
      ) AS newest WHERE ${own}
    ) AS shown WHERE ${own} AND bytes_before < :maxBytes::int8
    ORDER BY created_at DESC, id DESC LIMIT :limit
  ) AS shown` as const

const listed = { entries: optional(text()), shown: count() }
const ended = {
  ...listed,
  found: optional(count()),
  createdAt: optional(time()),
  id: optional(text<ReceiptId>()),
}

const list = statement({ name: 'list-receipts', text: upToBytes(''), reads: ended })

const listAfter = statement({
  name: 'list-receipts-after',
  text: upToBytes('AND (created_at, id) < (:before.createdAt, :before.id)'),
  reads: ended,
})

const listEach = statement({
  name: 'list-these-receipts',
  text: `SELECT string_agg(entry, ',') AS entries, count(*) AS shown FROM (
    SELECT ${listedEntry} AS entry FROM (
      SELECT *, sum(bytes) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before FROM (
        SELECT r.merchant, ${columnsOf(listedTable, 'r')}, r.standing, wanted.place, ${bytesOf('r')} AS bytes
        FROM unnest((SELECT :ids::text[])) WITH ORDINALITY AS wanted (id, place)
        JOIN receipt AS r ON r.merchant = :merchant AND r.id = wanted.id
      ) AS found
    ) AS shown WHERE ${own} AND bytes_before < :maxBytes::int8 ORDER BY place
  ) AS shown`,
  reads: listed,
})
