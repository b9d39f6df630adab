import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

/** The name a merchant sells under; `undefined` where it has no shop, or one without a name. */
export async function findShopName(db: Database, merchant: Wallet): Promise<string | undefined> {
  const row = await db.row(find({ merchant }))
  return row?.name.trim() || undefined
}

/** The names of several merchants; who has none is not in it. */
export async function findShopNames(
  db: Database,
  merchants: readonly Wallet[],
): Promise<ReadonlyMap<Wallet, string>> {
  if (merchants.length === 0) return new Map()
  const rows = await db.rows(findAll({ merchants }))
  return new Map(
    rows.flatMap(({ merchant, name }) => (name.trim() ? [[merchant, name.trim()] as const] : [])),
  )
}

const find = statement({
  name: 'find-shop-name',
  reads: { name: text() },
  text: 'SELECT name FROM shop WHERE merchant = :merchant',
})

const findAll = statement({
  name: 'find-shop-names',
  reads: { merchant: text<Wallet>(), name: text() },
  text: 'SELECT merchant, name FROM shop WHERE merchant = ANY(:merchants::text[])',
})
