import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import type { Merchant } from './merchant-store.ts'

const pageSize = 500

/** Every merchant of the service, by wallet: for whoever runs it, never for a tenant. */
export async function listMerchants(db: Database): Promise<Merchant[]> {
  const merchants: Merchant[] = []
  for (let after = ''; ; ) {
    const rows = await db.rows(list({ after, pageSize }))
    for (const row of rows)
      merchants.push({ wallet: row.merchant, name: row.name, createdAt: Number(row.createdAt) as UnixMs })
    if (rows.length < pageSize) return merchants
    after = rows.at(-1)?.merchant ?? after
  }
}

const list = statement({
  name: 'list-merchants',
  reads: { merchant: text<Wallet>(), name: text(), createdAt: int8() },
  text: 'SELECT merchant, name, created_at FROM merchant WHERE merchant > :after ORDER BY merchant LIMIT :pageSize',
})
