import type { Wallet } from '@sluice/protocol/wallet.ts'
import { text } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'

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
