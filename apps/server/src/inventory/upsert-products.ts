import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { generateId } from '../kernel/generate-id.ts'
import type { Random } from '../kernel/random.ts'
import type { Database } from '../platform/database/database.ts'
import { isUniqueViolation } from '../platform/database/degraded.ts'
import { changed, defaultFields, type Product, type ProductPut } from './product.ts'
import { insertProducts, lockProducts, saveProducts } from './store.ts'

const perStatement = 1_000

export type PutOutcome =
  | { readonly kind: 'put'; readonly created: number; readonly products: readonly Product[] }
  | { readonly kind: 'conflict'; readonly conflicts: readonly PutConflict[] }

export type PutConflict = { readonly index: number; readonly message: string }

/**
 * Creates or updates products by id or sku, all or none.
 *
 * Missing fields stay unchanged. An archived product becomes active unless a status is given.
 *
 * @param puts - Distinct ids and skus.
 * @param report - Receives the number of written products. Restarts if the transaction is retried.
 */
export async function upsertProducts(
  needs: { db: Database; clock: Clock; random: Random },
  merchant: Wallet,
  puts: readonly ProductPut[],
  report: (written: number) => void = () => {},
): Promise<PutOutcome> {
  const by = { ids: puts.flatMap(({ id }) => id ?? []), skus: puts.map(({ sku }) => sku) }
  return retryRaced(needs.db, async (tx) => {
    const plan = planPuts(needs, merchant, puts, await lockProducts(tx, merchant, by))
    if (plan.conflicts.length > 0) return { kind: 'conflict', conflicts: plan.conflicts }
    const { changes, products } = plan
    // In one order for all files: inserts that wait for each other's SKUs would deadlock.
    const creations = plan.creations.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
    for (let at = 0; at < changes.length; at += perStatement) {
      report(at)
      await saveProducts(tx, merchant, changes.slice(at, at + perStatement))
    }
    for (let at = 0; at < creations.length; at += perStatement) {
      report(changes.length + at)
      const part = creations.slice(at, at + perStatement)
      if ((await insertProducts(tx, merchant, part)) < part.length) throw new Raced()
    }
    return { kind: 'put', created: creations.length, products }
  })
}

type Plan = {
  readonly conflicts: PutConflict[]
  readonly creations: Product[]
  readonly changes: Product[]
  readonly products: Product[]
}

function planPuts(
  needs: { clock: Clock; random: Random },
  merchant: Wallet,
  puts: readonly ProductPut[],
  existing: readonly Product[],
): Plan {
  const now = needs.clock.now()
  const byId = new Map(existing.map((product) => [product.id, product]))
  const bySku = new Map(existing.map((product) => [product.sku, product]))
  const plan: Plan = { conflicts: [], creations: [], changes: [], products: [] }
  for (const [index, put] of puts.entries()) {
    const { id, ...change } = put
    const own = id === undefined ? bySku.get(put.sku) : byId.get(id)
    const holder = bySku.get(put.sku)
    if (holder && holder !== own) {
      plan.conflicts.push({
        index,
        message: `sku ${put.sku} belongs to the product with the id ${holder.id}`,
      })
    } else if (own) {
      const isBack = own.status === 'archived' && change.status === undefined
      const product = changed(own, isBack ? { ...change, status: 'active' } : change, now)
      plan.changes.push(product)
      plan.products.push(product)
    } else {
      const product: Product = {
        ...defaultFields,
        ...change,
        merchant,
        id: id ?? generateId(now, needs.random),
        createdAt: now,
        updatedAt: now,
      }
      plan.creations.push(product)
      plan.products.push(product)
    }
  }
  return plan
}

const attempts = 4

/** Another transaction inserted the same id or sku, so the plan is outdated. */
class Raced extends Error {
  constructor() {
    super('a product was changed concurrently')
  }
}

/**
 * Runs `work` in a transaction, and retries it after a conflict with a concurrent write or a unique
 * violation.
 */
export async function retryRaced<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work)
    } catch (error) {
      const isRaced = error instanceof Raced || isUniqueViolation(error)
      if (!isRaced || attempt === attempts) throw error
    }
  }
}
