import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { upsertMember } from './member-store.ts'

/** Who sells: known by one wallet, which partitions everything that is stored. */
type Merchant = { readonly wallet: Wallet; readonly name: string; readonly createdAt: UnixMs }

/** The merchant of a wallet, or `undefined`. */
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
 * Every merchant by its wallet, after `after` in their order: for the operator and for jobs, never for a tenant. From the
 * directory of members, since a merchant has an owner from its first moment on: where merchants are spread over machines,
 * none of them is asked.
 */
export async function listMerchantWallets(db: Database, after: string, limit: number): Promise<Wallet[]> {
  return (await db.rows(list({ after, limit }))).map(({ merchant }) => merchant)
}

const list = statement({
  name: 'list-merchant-wallets',
  reads: { merchant: text<Wallet>() },
  text: `SELECT DISTINCT merchant FROM member_wallet WHERE merchant > :after ORDER BY merchant LIMIT :limit`,
})

/**
 * Makes the merchant of a wallet where there is none yet, with the wallet as its owner. One that exists
 * keeps its name and its members.
 */
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

/** Every merchant of the service, by wallet: for whoever runs it, never for a tenant. */
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
