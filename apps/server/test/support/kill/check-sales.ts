import { findBroken } from '../chain/check-invariants.ts'
import { readOutcome } from './outcome.ts'
import type { Shop } from './shop.ts'

export type SoldRun = {
  readonly sales: readonly string[]
  /** Receipts that were acknowledged but never paid, with their amounts in USD. */
  readonly acknowledged: ReadonlyMap<string, number>
}

/** Returns one line for each loss, duplicate or open item. */
export async function findHarm(shop: Shop, run: SoldRun): Promise<string[]> {
  return [
    ...(await findWrongSales(shop, run.sales)),
    ...(await findLostCreates(shop, run.acknowledged)),
    ...(await findBroken(shop.db, shop.local.rpcUrl)),
  ]
}

async function findWrongSales(shop: Shop, ids: readonly string[]): Promise<string[]> {
  const { sales } = await readOutcome(shop, ids)
  return Object.entries(sales).flatMap(([id, sale]) => {
    const reported = ['paid', 'reconciled'].map((status) => `receipt-status:${id}:${status}:<its payment>`)
    const payments = sale.payments.map(({ state, claims }) => `${state} by ${claims} claim`)
    const arrivals = sale.arrivals.map((each) =>
      [each.is_distributed ? 'distributed' : 'waiting', each.is_lost ? 'lost' : '', each.held ?? ''].join(''),
    )
    const isFine =
      sale.receipt.status === 'reconciled' &&
      payments.join() === 'credited by 1 claim' &&
      arrivals.join() === 'distributed' &&
      sale.reported.join() === reported.join() &&
      sale.owed.join() === reported.map((key) => `${key} delivered`).join()
    return isFine ? [] : [`${id}: ${JSON.stringify(sale)}`]
  })
}

async function findLostCreates(shop: Shop, acknowledged: ReadonlyMap<string, number>): Promise<string[]> {
  const text = 'SELECT id, total_cents AS cents FROM receipt WHERE merchant = $1 AND id = ANY($2::text[])'
  const rows = await shop.db.rows<{ id: string; cents: bigint }>({ name: '', text }, [
    shop.local.merchant.address,
    [...acknowledged.keys()],
  ])
  const stored = new Map(rows.map(({ id, cents }) => [id, Number(cents) / 100]))
  return [...acknowledged].flatMap(([id, usd]) =>
    stored.get(id) === usd ? [] : [`${id} was acknowledged with ${usd} and is ${stored.get(id)}`],
  )
}
