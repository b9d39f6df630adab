import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, text } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Split } from '../split.ts'
import { type Ledger, undistributed } from './ledger.ts'
import { findOldestOpen, type LedgerKey } from './store.ts'

export type DueDistribution = LedgerKey & {
  readonly version: bigint
  readonly since: UnixMs
}

/** Adds the ledger to the distribution queue, or removes it. Returns whether a distribution is due. */
export async function recordDue(
  tx: Database,
  split: Split,
  key: LedgerKey,
  ledger: Ledger,
): Promise<boolean> {
  const isDue = undistributed(ledger, split.recipients) > 0n
  const since = isDue ? await findOldestOpen(tx, key) : undefined
  const { chain, token, merchant } = key
  if (since === undefined) await tx.run(remove({ chain, address: split.address, token }))
  else await tx.run(put({ chain, address: split.address, token, merchant, version: split.version, since }))
  return since !== undefined
}

export async function listDue(
  db: Database,
  chain: number,
  after: { readonly split: string; readonly token: string },
  limit: number,
): Promise<DueDistribution[]> {
  const rows = await db.rows(list({ chain, split: after.split, token: after.token, limit }))
  return rows.map((row) => ({
    merchant: row.merchant as Wallet,
    chain,
    split: row.splitAddress as Wallet,
    token: row.tokenAddress as Wallet,
    version: row.version,
    since: Number(row.since) as UnixMs,
  }))
}

const put = statement({
  name: 'put-distribution-due',
  text: `INSERT INTO distribution_due (chain, split_address, token_address, merchant, version, since)
    VALUES (:chain, :address, :token, :merchant, :version, :since)
    ON CONFLICT (chain, split_address, token_address) DO UPDATE SET since = excluded.since`,
})

const remove = statement({
  name: 'remove-distribution-due',
  text: `DELETE FROM distribution_due WHERE chain = :chain AND split_address = :address AND token_address = :token`,
})

const list = statement({
  name: 'list-distributions-due',
  reads: { splitAddress: text(), tokenAddress: text(), merchant: text(), version: int8(), since: int8() },
  text: `SELECT split_address, token_address, merchant, version, since FROM distribution_due
    WHERE chain = :chain AND (split_address, token_address) > (:split, :token) ORDER BY split_address,
      token_address LIMIT :limit`,
})
