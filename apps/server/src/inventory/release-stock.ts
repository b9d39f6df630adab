import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/**
 * Puts what `holder` holds back on the shelf. Safe to repeat: what was given back or taken stays so.
 *
 * A product that is no longer counted keeps its stock uncounted.
 */
export async function releaseStock(
  tx: Database,
  merchant: Wallet,
  holder: string,
  now: UnixMs,
): Promise<void> {
  await tx.run(giveBack({ merchant, holder, now }))
}

/** One statement: holds first, then products in the order of their ids. */
const giveBack = statement({
  name: 'give-back-stock',
  text: `WITH hold AS (
      UPDATE stock_hold SET state = 'given_back', settled_at = :now
      WHERE merchant = :merchant AND holder = :holder AND state = 'held'
      RETURNING product_id, qty
    ), locked AS MATERIALIZED (
      SELECT p.id FROM product p
      WHERE p.merchant = :merchant AND p.stock <> -1 AND p.id IN (SELECT product_id FROM hold)
      ORDER BY p.id FOR NO KEY UPDATE
    )
    UPDATE product p SET stock = p.stock + h.qty FROM locked l JOIN hold h ON h.product_id = l.id
    WHERE p.merchant = :merchant AND p.id = l.id`,
})
