import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { upsertMember } from './member-store.ts'

type Merchant = { readonly wallet: Wallet; readonly name: string; readonly createdAt: UnixMs }

/** Returns a merchant by its wallet, which is its id. */
export async function findMerchant(db: Database, wallet: Wallet): Promise<Merchant | undefined> {
  const row = await db.row(find({ wallet }))
  return row && { wallet, name: row.name, createdAt: Number(row.createdAt) as UnixMs }
}

const find = statement({
  name: 'find-merchant',
  reads: { name: text(), createdAt: int8() },
  text: 'SELECT name, created_at FROM merchant WHERE merchant = :wallet',
})

/**
 * Lists merchant wallets after `after`, in order. Not scoped to a tenant: for the operator and jobs only.
 * Reads the member directory, which has every merchant's owner, so the query reaches no other node of a
 * database cluster.
 */
export async function listMerchantWallets(db: Database, after: string, limit: number): Promise<Wallet[]> {
  return (await db.rows(list({ after, limit }))).map(({ merchant }) => merchant)
}

const list = statement({
  name: 'list-merchant-wallets',
  reads: { merchant: text<Wallet>() },
  text: `SELECT DISTINCT merchant FROM member_wallet WHERE merchant > :after ORDER BY merchant LIMIT :limit`,
})

/** Creates a merchant with the wallet as its owner. Has no effect if the merchant exists. */
export async function ensureMerchant(
  needs: { db: Database; clock: Clock },
  merchant: Wallet,
  name: string,
): Promise<void> {
  const createdAt = needs.clock.now()
  await needs.db.transaction(async (tx) => {
    const isNew = (await tx.run(ensure({ merchant, name, createdAt }))) === 1
    if (isNew) await upsertMember(tx, merchant, { wallet: merchant, role: 'owner', createdAt })
  })
}

const ensure = statement({
  name: 'ensure-merchant',
  text: 'INSERT INTO merchant (merchant, name, created_at) VALUES (:merchant, :name, :createdAt) ON CONFLICT (merchant) DO NOTHING',
})

const pageSize = 500

/** Lists all merchants. Not scoped to a tenant: for the operator only. */
export async function listMerchants(db: Database): Promise<Merchant[]> {
  const merchants: Merchant[] = []
  for (let after = ''; ; ) {
    const rows = await db.rows(listPage({ after, pageSize }))
    for (const row of rows)
      merchants.push({ wallet: row.merchant, name: row.name, createdAt: Number(row.createdAt) as UnixMs })
    if (rows.length < pageSize) return merchants
    after = rows.at(-1)?.merchant ?? after
  }
}

const listPage = statement({
  name: 'list-merchants',
  reads: { merchant: text<Wallet>(), name: text(), createdAt: int8() },
  text: 'SELECT merchant, name, created_at FROM merchant WHERE merchant > :after ORDER BY merchant LIMIT :pageSize',
})
