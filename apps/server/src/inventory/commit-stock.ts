import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** A product of which less could be taken than was sold. */
export type MissingStock = { readonly productId: string; readonly qty: bigint; readonly missing: bigint }

/**
 * What `holder` holds is sold. Safe to repeat: what was taken stays taken.
 *
 * What had been given back meanwhile is taken again as far as it is still there; the rest is `missing`, since
 * stock never goes below zero: it was promised to somebody else in between.
 */
export async function commitStock(
  tx: Database,
  merchant: Wallet,
  holder: string,
  now: UnixMs,
): Promise<MissingStock[]> {
  return (await tx.rows(take({ merchant, holder, now }))).filter(({ missing }) => missing > 0n)
}

/** One statement: holds first, then products, each in the order of the products' ids. */
const take = statement({
  name: 'take-stock',
  reads: { productId: text(), qty: int8(), missing: int8() },
  text: `WITH hold AS MATERIALIZED (
      SELECT product_id, qty, state FROM stock_hold WHERE merchant = :merchant AND holder = :holder AND state <> 'taken'
      ORDER BY product_id FOR NO KEY UPDATE
    ), locked AS MATERIALIZED (
      SELECT p.id, p.stock FROM product p
      WHERE p.merchant = :merchant AND p.stock <> -1
        AND p.id IN (SELECT product_id FROM hold WHERE state = 'given_back')
      ORDER BY p.id FOR NO KEY UPDATE
    ), lowered AS (
      UPDATE product p SET stock = greatest(p.stock - h.qty, 0)
      FROM locked l JOIN hold h ON h.product_id = l.id
      WHERE p.merchant = :merchant AND p.id = l.id
    )
    UPDATE stock_hold s SET state = 'taken', settled_at = :now, missing = greatest(h.qty - coalesce(l.stock, h.qty), 0)
    FROM hold h LEFT JOIN locked l ON l.id = h.product_id
    WHERE s.merchant = :merchant AND s.holder = :holder AND s.product_id = h.product_id
    RETURNING s.product_id, s.qty, s.missing`,
})
