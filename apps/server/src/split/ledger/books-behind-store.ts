import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'

/** Whose books stand still, and the last block that is in them; those of all others stand at the cursor. */
export async function listBooksBehind(db: Database, chain: number): Promise<Map<Wallet, bigint>> {
  const rows = await db.rows<{ merchant: string; above: bigint }>(list, [chain])
  return new Map(rows.map((row) => [row.merchant as Wallet, row.above]))
}

/** Has a merchant's books read again above a block; a lower one that was noted stays. */
export async function putBooksBehind(
  tx: Database,
  chain: number,
  merchant: Wallet,
  above: bigint,
): Promise<void> {
  await tx.run(put, [chain, merchant, above])
}

/** The chain lost the blocks above this one: no books that stand still know of any above it. */
export async function lowerBooksBehind(tx: Database, chain: number, above: bigint): Promise<void> {
  await tx.run(lower, [chain, above])
}

/** A merchant's books have caught up. */
export async function dropBooksBehind(tx: Database, chain: number, merchant: Wallet): Promise<void> {
  await tx.run(drop, [chain, merchant])
}

const list = {
  name: 'list-books-behind',
  text: `SELECT merchant, above FROM set_aside_books WHERE chain = $1`,
}

const put = {
  name: 'put-books-behind',
  text: `INSERT INTO set_aside_books (chain, merchant, above) VALUES ($1, $2, $3)
    ON CONFLICT (chain, merchant) DO UPDATE SET above = least(set_aside_books.above, excluded.above)`,
}

const lower = {
  name: 'lower-books-behind',
  text: `UPDATE set_aside_books SET above = least(above, $2) WHERE chain = $1`,
}

const drop = {
  name: 'drop-books-behind',
  text: `DELETE FROM set_aside_books WHERE chain = $1 AND merchant = $2`,
}
