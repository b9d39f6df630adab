import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bool, int8, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

type StockWish = { readonly productId: string; readonly qty: bigint }

type StockShortage = StockWish & { readonly left: bigint }

/**
 * Reserves stock for a new `holder`. Uncounted products need no reservation.
 *
 * Locks rows in id order to prevent deadlocks, and checks the stock under the lock, so stock never goes below
 * zero. If there is a shortage, the caller must roll back: other products are already reserved.
 *
 * See docs/contract.md#inventory.
 *
 * @param wishes - Distinct products, each qty above zero.
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

/**
 * Records the wishes of `holder` without reserving stock, and returns current shortages.
 * {@link reserveNoted} reserves it later, and {@link commitStock} takes the available stock.
 */
export async function noteStock(
  tx: Database,
  merchant: Wallet,
  holder: string,
  wishes: readonly StockWish[],
  now: UnixMs,
): Promise<{ heldCount: number; shortages: StockShortage[] }> {
  const rows = await tx.rows(findCounted({ merchant, each: wishes }))
  if (rows.length > 0) await tx.run(note({ merchant, holder, each: rows, now }))
  return {
    heldCount: rows.length,
    shortages: rows
      .filter(({ qty, left }) => qty > left)
      .map(({ id, qty, left }) => ({ productId: id, qty, left })),
  }
}

/** Maximum share of a product's stock that unpaid storefront orders can reserve, in tenths. */
const maxTenths = { ofAnAddress: 5n, ofAll: 9n } as const

/**
 * Reserves the recorded stock of `holder` until `until`. Reserves nothing if a product is short, or if unpaid
 * orders would hold more than {@link maxTenths}.
 *
 * @param address - Buyer's address, grouped as for rate limits.
 */
export async function reserveNoted(
  tx: Database,
  merchant: Wallet,
  holder: string,
  by: { readonly address: string; readonly now: UnixMs; readonly until: UnixMs },
): Promise<'reserved' | 'nothing'> {
  const wanted = await tx.rows(lockNoted({ merchant, holder }))
  if (wanted.length === 0) return 'nothing'
  const unpaid = await tx.rows(sumUnpaid({ merchant, ids: wanted.map(({ id }) => id), address: by.address }))
  const isFree = wanted.every(({ id, qty, stock }) => {
    const { all = 0n, own = 0n } = unpaid.find((each) => each.id === id) ?? {}
    const total = stock + all
    const share = (tenths: bigint) => (total < 2n ? total : (total * tenths) / 10n)
    return stock >= qty && own + qty <= share(maxTenths.ofAnAddress) && all + qty <= share(maxTenths.ofAll)
  })
  if (!isFree) return 'nothing'
  await tx.run(takeOff({ merchant, each: wanted }))
  await tx.run(holdNoted({ merchant, holder, ids: wanted.map(({ id }) => id), ...by }))
  return 'reserved'
}

/** Returns the end of a storefront order's reservation, or `undefined` if nothing is reserved. */
export async function findHoldEnd(
  db: Database,
  merchant: Wallet,
  holder: string,
): Promise<UnixMs | undefined> {
  return (await db.row(findEnd({ merchant, holder })))?.end
}

/**
 * Reads the stock from the locked row `l`: `p` comes from the statement's snapshot, which was taken before it
 * waited for the lock.
 */
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

/** Separate statement: on a cluster, a CTE's result for an insert would be sent to all nodes. */
const hold = statement({
  name: 'hold-stock',
  text: `INSERT INTO stock_reservation (merchant, holder, product_id, qty, missing, state, reserved_at)
    SELECT :merchant, :holder, id, qty, 0, 'reserved', :now FROM unnest(:each.id::text[], :each.qty::int8[]) AS held (id, qty)`,
})

const findCounted = statement({
  name: 'find-counted-stock',
  reads: { id: text(), qty: int8(), left: int8() },
  text: `SELECT p.id, w.qty, p.stock AS "left" FROM product p
    JOIN unnest(:each.productId::text[], :each.qty::int8[]) AS w (id, qty) ON w.id = p.id
    WHERE p.merchant = :merchant AND p.stock <> -1`,
})

const note = statement({
  name: 'note-stock',
  text: `INSERT INTO stock_reservation (merchant, holder, product_id, qty, missing, state, reserved_at, settled_at)
    SELECT :merchant, :holder, id, qty, 0, 'released', :now, :now
    FROM unnest(:each.id::text[], :each.qty::int8[]) AS noted (id, qty)`,
})

const lockNoted = statement({
  name: 'lock-noted-stock',
  reads: { id: text(), qty: int8(), stock: int8() },
  text: `WITH noted AS MATERIALIZED (
      SELECT product_id, qty FROM stock_reservation WHERE merchant = :merchant AND holder = :holder AND state = 'released'
      ORDER BY product_id FOR NO KEY UPDATE
    )
    SELECT p.id, n.qty, p.stock FROM product p JOIN noted n ON n.product_id = p.id
    WHERE p.merchant = :merchant AND p.stock <> -1 ORDER BY p.id FOR NO KEY UPDATE OF p`,
})

/** Separate statement: its snapshot must include reservations committed before the products were locked. */
const sumUnpaid = statement({
  name: 'sum-unpaid-stock',
  reads: { id: text(), all: int8(), own: int8() },
  text: `SELECT product_id AS id, sum(qty)::int8 AS "all",
      coalesce(sum(qty) FILTER (WHERE address = :address), 0)::int8 AS own
    FROM stock_reservation WHERE merchant = :merchant AND state = 'reserved' AND until_at IS NOT NULL AND product_id = ANY(:ids::text[])
    GROUP BY product_id`,
})

const takeOff = statement({
  name: 'take-noted-stock-off',
  text: `UPDATE product p SET stock = p.stock - w.qty FROM unnest(:each.id::text[], :each.qty::int8[]) AS w (id, qty)
    WHERE p.merchant = :merchant AND p.id = w.id`,
})

const holdNoted = statement({
  name: 'hold-noted-stock',
  text: `UPDATE stock_reservation SET state = 'reserved', reserved_at = :now, settled_at = NULL, until_at = :until, address = :address
    WHERE merchant = :merchant AND holder = :holder AND product_id = ANY(:ids::text[])`,
})

const findEnd = statement({
  name: 'find-hold-end',
  reads: { end: optional(time()) },
  text: `SELECT min(until_at) AS "end" FROM stock_reservation WHERE merchant = :merchant AND holder = :holder AND state = 'reserved'`,
})

type MissingStock = { readonly productId: string; readonly qty: bigint; readonly missing: bigint }

/**
 * Commits the stock of `holder`. Safe to repeat.
 *
 * Takes released stock again if available. The rest is `missing`, because it was sold to another buyer and
 * stock never goes below zero.
 */
export async function commitStock(
  tx: Database,
  merchant: Wallet,
  holder: string,
  now: UnixMs,
): Promise<MissingStock[]> {
  return (await tx.rows(take({ merchant, holder, now }))).filter(({ missing }) => missing > 0n)
}

/** Locks reservations, then products, each in the order of product ids. */
const take = statement({
  name: 'take-stock',
  reads: { productId: text(), qty: int8(), missing: int8() },
  text: `WITH hold AS MATERIALIZED (
      SELECT product_id, qty, state FROM stock_reservation WHERE merchant = :merchant AND holder = :holder AND state <> 'committed'
      ORDER BY product_id FOR NO KEY UPDATE
    ), locked AS MATERIALIZED (
      SELECT p.id, p.stock FROM product p
      WHERE p.merchant = :merchant AND p.stock <> -1
        AND p.id IN (SELECT product_id FROM hold WHERE state = 'released')
      ORDER BY p.id FOR NO KEY UPDATE
    ), lowered AS (
      UPDATE product p SET stock = greatest(p.stock - h.qty, 0)
      FROM locked l JOIN hold h ON h.product_id = l.id
      WHERE p.merchant = :merchant AND p.id = l.id
    )
    UPDATE stock_reservation s SET state = 'committed', settled_at = :now, missing = greatest(h.qty - coalesce(l.stock, h.qty), 0)
    FROM hold h LEFT JOIN locked l ON l.id = h.product_id
    WHERE s.merchant = :merchant AND s.holder = :holder AND s.product_id = h.product_id
    RETURNING s.product_id, s.qty, s.missing`,
})

/**
 * Releases the stock of `holder`. Safe to repeat. Does not affect released or committed stock, or uncounted
 * products.
 */
export async function releaseStock(
  tx: Database,
  merchant: Wallet,
  holder: string,
  now: UnixMs,
): Promise<void> {
  await tx.run(giveBack({ merchant, holder, now }))
}

/** Locks reservations, then products in the order of their ids. */
const giveBack = statement({
  name: 'give-back-stock',
  text: `WITH hold AS (
      UPDATE stock_reservation SET state = 'released', settled_at = :now
      WHERE merchant = :merchant AND holder = :holder AND state = 'reserved'
      RETURNING product_id, qty
    ), locked AS MATERIALIZED (
      SELECT p.id FROM product p
      WHERE p.merchant = :merchant AND p.stock <> -1 AND p.id IN (SELECT product_id FROM hold)
      ORDER BY p.id FOR NO KEY UPDATE
    )
    UPDATE product p SET stock = p.stock + h.qty FROM locked l JOIN hold h ON h.product_id = l.id
    WHERE p.merchant = :merchant AND p.id = l.id`,
})
