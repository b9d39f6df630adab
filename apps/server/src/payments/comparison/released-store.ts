import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Database } from '../../platform/database/database.ts'
import { cursorNames } from '../../platform/jobs/names.ts'

/** One split in one token. */
export type ReleasedBooks = { readonly merchant: Wallet; readonly split: Wallet; readonly token: Wallet }

/**
 * What splits have released as of a block, by their books. None where the books stand at another block: those of
 * all while their cursor does, and those of a merchant whose books are behind.
 */
export async function readReleased<T extends ReleasedBooks>(
  db: Database,
  chain: number,
  books: readonly T[],
  at: bigint,
): Promise<Map<T, bigint>> {
  if (books.length === 0) return new Map()
  const rows = await db.rows<{ place: bigint; released: bigint }>(released, [
    chain,
    at,
    books.map(({ merchant }) => merchant),
    books.map(({ split }) => split),
    books.map(({ token }) => token),
  ])
  return new Map(
    rows.flatMap((row) => {
      const each = books[Number(row.place) - 1]
      return each ? [[each, row.released] as const] : []
    }),
  )
}

/** Receipts whose money in a split these transactions sent out. */
export async function listReceiptsSettledBy(
  db: Database,
  chain: number,
  { merchant, split, token }: ReleasedBooks,
  txHashes: readonly Hex[],
): Promise<string[]> {
  const rows = await db.rows<{ receipt_id: string }>(settledBy, [merchant, chain, split, token, txHashes])
  return rows.map((row) => row.receipt_id)
}

const released = {
  name: 'read-released-books',
  text: `SELECT asked.place, coalesce(ledger.amount, 0) AS released
    FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS asked(merchant, split, token, place)
    LEFT JOIN LATERAL (SELECT sum(each.value::numeric) AS amount
      FROM split_ledger AS l, jsonb_each_text(l.released) AS each
      WHERE l.merchant = asked.merchant AND l.chain = $1 AND l.split_address = asked.split
        AND l.token_address = asked.token) AS ledger ON true
    WHERE EXISTS (SELECT 1 FROM chain_cursor AS c WHERE c.chain = $1 AND c.name = '${cursorNames.distributions}' AND c.number = $2)
      AND NOT EXISTS (SELECT 1 FROM set_aside_books AS b WHERE b.chain = $1 AND b.merchant = asked.merchant)`,
}

const settledBy = {
  name: 'list-receipts-settled-by',
  text: `SELECT DISTINCT receipt_id FROM split_arrival
    WHERE merchant = $1 AND chain = $2 AND split_address = $3 AND token_address = $4 AND distributed_tx = ANY($5)
      AND receipt_id IS NOT NULL AND orphaned_at IS NULL`,
}
