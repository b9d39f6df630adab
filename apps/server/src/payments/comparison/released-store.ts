import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { cursorNames } from '../../platform/jobs/names.ts'

/** One split in one token. */
export type ReleasedLedger = { readonly merchant: Wallet; readonly split: Wallet; readonly token: Wallet }

/**
 * What splits have released as of a block, by their books. None where the books stand at another block: those of
 * all while their cursor does, and those of a merchant whose books are behind.
 */
export async function readReleased<T extends ReleasedLedger>(
  db: Database,
  chain: number,
  books: readonly T[],
  at: bigint,
): Promise<Map<T, bigint>> {
  if (books.length === 0) return new Map()
  const rows = await db.rows(released({ chain, at, each: books }))
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
  { merchant, split, token }: ReleasedLedger,
  txHashes: readonly Hex[],
): Promise<string[]> {
  const rows = await db.rows(settledBy({ merchant, chain, split, token, txHashes }))
  return rows.map((row) => row.receiptId)
}

const released = statement({
  name: 'read-released-books',
  reads: { place: int8(), released: int8() },
  text: `SELECT asked.place, coalesce(ledger.amount, 0) AS released
    FROM unnest(:each.merchant::text[], :each.split::text[], :each.token::text[]) WITH ORDINALITY AS asked(merchant,
      split, token, place)
    LEFT JOIN LATERAL (SELECT sum(each.value::numeric) AS amount
      FROM split_ledger AS l, jsonb_each_text(l.released) AS each
      WHERE l.merchant = asked.merchant AND l.chain = :chain AND l.split_address = asked.split
        AND l.token_address = asked.token) AS ledger ON true
    WHERE EXISTS (SELECT 1 FROM chain_cursor AS c WHERE c.chain = :chain
      AND c.name = '${cursorNames.distributions}' AND c.number = :at)
      AND NOT EXISTS (SELECT 1 FROM set_aside_books AS b WHERE b.chain = :chain AND b.merchant = asked.merchant)`,
})

const settledBy = statement({
  name: 'list-receipts-settled-by',
  reads: { receiptId: text() },
  text: `SELECT DISTINCT receipt_id FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND distributed_tx = ANY(:txHashes)
      AND receipt_id IS NOT NULL AND orphaned_at IS NULL`,
})
