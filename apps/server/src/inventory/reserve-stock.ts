import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bool, int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** How many of a product somebody wants. */
export type StockWish = { readonly productId: string; readonly qty: bigint }

/** A counted product of which there is less than was wanted. */
export type StockShortage = StockWish & { readonly left: bigint }

/**
 * Sets stock aside for `holder`, who has held none before. Products that are not counted need no holding.
 *
 * The rows are locked in the order of their ids, so that two holders of the same products never
 * wait for each other, and what is left is judged under the lock: stock never goes below zero. Where there is
 * too little of one product, the caller has to give up its transaction: the others are held by then.
 *
 * @param wishes - No product twice, each qty above zero.
 */
export async function reserveStock(
  tx: Database,
  merchant: Wallet,
  holder: string,
  wishes: readonly StockWish[],
  now: UnixMs,
): Promise<{ heldCount: number; shortages: StockShortage[] }> {
  const rows = await tx.rows(lower({ merchant, each: wishes }))
  const held = rows.filter((row) => row.isHeld)
  if (held.length > 0) await tx.run(hold({ merchant, holder, each: held, now }))
  return {
    heldCount: held.length,
    shortages: rows.filter((row) => !row.isHeld).map(({ id, qty, left }) => ({ productId: id, qty, left })),
  }
}

/** By the row that was locked, `l`: `p` is as the statement found it, before it waited for whoever held the lock. */
const lower = statement({
  name: 'lower-stock',
  reads: { id: text(), qty: int8(), left: int8(), isHeld: bool() },
  text: `WITH wish AS (
      SELECT id, qty FROM unnest(:each.productId::text[], :each.qty::int8[]) AS w (id, qty)
    ), locked AS MATERIALIZED (
      SELECT id, stock FROM product WHERE merchant = :merchant AND id = ANY(:each.productId) AND stock <> -1
      ORDER BY id FOR NO KEY UPDATE
    ), lowered AS (
      UPDATE product p SET stock = l.stock - w.qty FROM locked l JOIN wish w ON w.id = l.id
      WHERE p.merchant = :merchant AND p.id = l.id AND l.stock >= w.qty
      RETURNING p.id
    )
    SELECT l.id, w.qty, l.stock AS left, d.id IS NOT NULL AS is_held
    FROM locked l JOIN wish w ON w.id = l.id LEFT JOIN lowered d ON d.id = l.id
    ORDER BY l.id`,
})

/** A statement of its own: on a cluster, what one part of a statement gives to an insert is sent to all machines. */
const hold = statement({
  name: 'hold-stock',
  text: `INSERT INTO stock_hold (merchant, holder, product_id, qty, missing, state, held_at)
    SELECT :merchant, :holder, id, qty, 0, 'held', :now FROM unnest(:each.id::text[], :each.qty::int8[]) AS held (id, qty)`,
})
