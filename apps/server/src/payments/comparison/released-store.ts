import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { cursorNames } from '../../platform/jobs/names.ts'
import { askByMerchant } from './store.ts'

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
  const standing = await listStanding(db, chain, books, at)
  const found = await askByMerchant(
    books.filter(({ merchant }) => standing.has(merchant)),
    ({ merchant }) => merchant,
    (merchant, each) => db.rows(released({ chain, merchant, each })),
  )
  // Books that were written meanwhile say something of another block.
  const stillStanding = await listStanding(db, chain, [...found.keys()], at)
  return new Map(
    [...found].flatMap(([book, row]) =>
      stillStanding.has(book.merchant) ? [[book, row.released] as const] : [],
    ),
  )
}

/** The merchants of books that stand at a block. */
async function listStanding(
  db: Database,
  chain: number,
  books: readonly ReleasedLedger[],
  at: bigint,
): Promise<ReadonlySet<Wallet>> {
  if (books.length === 0) return new Set()
  const merchants = [...new Set(books.map(({ merchant }) => merchant))]
  return new Set((await db.rows(standingAt({ chain, at, merchants }))).map(({ merchant }) => merchant))
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

const standingAt = statement({
  name: 'list-books-standing-at',
  reads: { merchant: text<Wallet>() },
  text: `SELECT asked.merchant FROM unnest(:merchants::text[]) AS asked(merchant)
    WHERE EXISTS (SELECT 1 FROM chain_cursor AS c WHERE c.chain = :chain
      AND c.name = '${cursorNames.distributions}' AND c.number = :at)
      AND NOT EXISTS (SELECT 1 FROM set_aside_books AS b WHERE b.chain = :chain AND b.merchant = asked.merchant)`,
})

const released = statement({
  name: 'read-released-books',
  reads: { place: int8(), released: int8() },
  text: `SELECT asked.place, coalesce(ledger.amount, 0) AS released
    FROM unnest(:each.split::text[], :each.token::text[]) WITH ORDINALITY AS asked(split, token, place)
    LEFT JOIN LATERAL (SELECT sum(each.value::numeric) AS amount
      FROM split_ledger AS l, jsonb_each_text(l.released) AS each
      WHERE l.merchant = :merchant AND l.chain = :chain AND l.split_address = asked.split
        AND l.token_address = asked.token) AS ledger ON true`,
})

const settledBy = statement({
  name: 'list-receipts-settled-by',
  reads: { receiptId: text() },
  text: `SELECT DISTINCT receipt_id FROM split_arrival
    WHERE merchant = :merchant AND chain = :chain AND split_address = :split AND token_address = :token
      AND distributed_tx = ANY(:txHashes)
      AND receipt_id IS NOT NULL AND orphaned_at IS NULL`,
})
