import { findBroken } from '../chain/check-invariants.ts'
import { readOutcome } from '../kill/outcome.ts'
import type { Shop } from '../kill/shop.ts'
import type { ChaosRun } from './play-chaos.ts'

/** What was lost, doubled or left undone in a run that is at rest, one line each. */
export async function judgeChaos(
  shop: Shop,
  run: Pick<ChaosRun, 'sales' | 'acknowledged'>,
): Promise<string[]> {
  return [
    ...(await findWrongSales(shop, run.sales)),
    ...(await findLostCreates(shop, run.acknowledged)),
    ...(await findBroken(shop.db, shop.local.rpcUrl)),
  ]
}

/** How many webhooks came in more than once, which is allowed: who died may have sent what it could not write down. */
export function countRepeated({ receiver }: Pick<Shop, 'receiver'>): { all: number; repeated: number } {
  const keys = receiver.received.map(
    ({ body }) => (JSON.parse(body.toString()) as { idempotencyKey: string }).idempotencyKey,
  )
  return { all: keys.length, repeated: keys.length - new Set(keys).size }
}

async function findWrongSales(shop: Shop, ids: readonly string[]): Promise<string[]> {
  const { sales } = await readOutcome(shop, ids)
  return Object.entries(sales).flatMap(([id, sale]) => {
    const told = ['paid', 'reconciled'].map((status) => `receipt-status:${id}:${status}:<its payment>`)
    const owed = told.map((key) => `${key} delivered`)
    const payments = sale.payments.map(
      ({ state, claims, amount }) => `${state} by ${claims} claim, ${amount}`,
    )
    const arrivals = sale.arrivals.map((each) =>
      [each.is_distributed ? 'distributed' : 'waiting', each.is_lost ? 'lost' : '', each.held ?? ''].join(''),
    )
    const isFine =
      sale.receipt.status === 'reconciled' &&
      payments.length === 1 &&
      payments[0]?.startsWith('credited by 1 claim') &&
      arrivals.join() === 'distributed' &&
      sale.told.join() === told.join() &&
      sale.owed.join() === owed.join()
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
