import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bool, int8, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** How many of a product somebody wants. */
type StockWish = { readonly productId: string; readonly qty: bigint }

/** A counted product of which there is less than was wanted. */
type StockShortage = StockWish & { readonly left: bigint }

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

/**
 * Notes what `holder` wants without reserving it. Returns the counted products of which there is too little now.
 * {@link reserveNoted} reserves it, and `commitStock` takes what is left.
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

/** The parts of a product's stock that unpaid storefront orders may hold, in tenths. */
const maxTenths = { ofAnAddress: 5n, ofAll: 9n } as const // decisions: Inventory

/**
 * Reserves until `until` what was noted for `holder`: all of it, or nothing if too little of a product is left or if
 * its buyers who have not paid yet would hold too much of it.
 *
 * @param address - Who pays, as rate limits count addresses.
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

/** Returns when the reservation of a storefront order ends, or `undefined` if nothing is reserved for it. */
export async function findHoldEnd(
  db: Database,
  merchant: Wallet,
  holder: string,
): Promise<UnixMs | undefined> {
  return (await db.row(findEnd({ merchant, holder })))?.end
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

const findCounted = statement({
  name: 'find-counted-stock',
  reads: { id: text(), qty: int8(), left: int8() },
  text: `SELECT p.id, w.qty, p.stock AS "left" FROM product p
    JOIN unnest(:each.productId::text[], :each.qty::int8[]) AS w (id, qty) ON w.id = p.id
    WHERE p.merchant = :merchant AND p.stock <> -1`,
})

const note = statement({
  name: 'note-stock',
  text: `INSERT INTO stock_hold (merchant, holder, product_id, qty, missing, state, held_at, settled_at)
    SELECT :merchant, :holder, id, qty, 0, 'given_back', :now, :now
    FROM unnest(:each.id::text[], :each.qty::int8[]) AS noted (id, qty)`,
})

const lockNoted = statement({
  name: 'lock-noted-stock',
  reads: { id: text(), qty: int8(), stock: int8() },
  text: `WITH noted AS MATERIALIZED (
      SELECT product_id, qty FROM stock_hold WHERE merchant = :merchant AND holder = :holder AND state = 'given_back'
      ORDER BY product_id FOR NO KEY UPDATE
    )
    SELECT p.id, n.qty, p.stock FROM product p JOIN noted n ON n.product_id = p.id
    WHERE p.merchant = :merchant AND p.stock <> -1 ORDER BY p.id FOR NO KEY UPDATE OF p`,
})

/** A statement of its own: it has to see what was reserved before the products were locked. */
const sumUnpaid = statement({
  name: 'sum-unpaid-stock',
  reads: { id: text(), all: int8(), own: int8() },
  text: `SELECT product_id AS id, sum(qty)::int8 AS "all",
      coalesce(sum(qty) FILTER (WHERE address = :address), 0)::int8 AS own
    FROM stock_hold WHERE merchant = :merchant AND state = 'held' AND until_at IS NOT NULL AND product_id = ANY(:ids::text[])
    GROUP BY product_id`,
})

const takeOff = statement({
  name: 'take-noted-stock-off',
  text: `UPDATE product p SET stock = p.stock - w.qty FROM unnest(:each.id::text[], :each.qty::int8[]) AS w (id, qty)
    WHERE p.merchant = :merchant AND p.id = w.id`,
})

const holdNoted = statement({
  name: 'hold-noted-stock',
  text: `UPDATE stock_hold SET state = 'held', held_at = :now, settled_at = NULL, until_at = :until, address = :address
    WHERE merchant = :merchant AND holder = :holder AND product_id = ANY(:ids::text[])`,
})

const findEnd = statement({
  name: 'find-hold-end',
  reads: { end: optional(time()) },
  text: `SELECT min(until_at) AS "end" FROM stock_hold WHERE merchant = :merchant AND holder = :holder AND state = 'held'`,
})

/** A product of which less could be taken than was sold. */
type MissingStock = { readonly productId: string; readonly qty: bigint; readonly missing: bigint }

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
