import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Split } from '../split.ts'
import { type Ledger, undistributed } from './ledger.ts'
import { findOldestOpen, type LedgerKey } from './store.ts'

/** Money of one token in one split that nobody has shared out yet. */
export type DueDistribution = LedgerKey & {
  readonly version: bigint
  /** When the oldest of it arrived. */
  readonly since: UnixMs
}

/** Puts the books on the list of what is to be distributed, or takes them off it; answers which. */
export async function noteDue(tx: Database, split: Split, key: LedgerKey, ledger: Ledger): Promise<boolean> {
  const isDue = undistributed(ledger, split.recipients) > 0n
  const since = isDue ? await findOldestOpen(tx, key) : undefined
  const { chain, token, merchant } = key
  if (since === undefined) await tx.run(remove, [chain, split.address, token])
  else await tx.run(put, [chain, split.address, token, merchant, split.version, since])
  return since !== undefined
}

/** What is to be distributed on the chain, in the order of the addresses, after `after`. */
export async function listDue(
  db: Database,
  chain: number,
  after: { readonly split: string; readonly token: string },
  limit: number,
): Promise<DueDistribution[]> {
  const rows = await db.rows<DueRow>(list, [chain, after.split, after.token, limit])
  return rows.map((row) => ({
    merchant: row.merchant as Wallet,
    chain,
    split: row.split_address as Wallet,
    token: row.token_address as Wallet,
    version: row.version,
    since: Number(row.since) as UnixMs,
  }))
}

type DueRow = {
  split_address: string
  token_address: string
  merchant: string
  version: bigint
  since: bigint
}

const put = {
  name: 'put-distribution-due',
  text: `INSERT INTO distribution_due (chain, split_address, token_address, merchant, version, since)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (chain, split_address, token_address) DO UPDATE SET since = excluded.since`,
}

const remove = {
  name: 'remove-distribution-due',
  text: `DELETE FROM distribution_due WHERE chain = $1 AND split_address = $2 AND token_address = $3`,
}

const list = {
  name: 'list-distributions-due',
  text: `SELECT split_address, token_address, merchant, version, since FROM distribution_due
    WHERE chain = $1 AND (split_address, token_address) > ($2, $3) ORDER BY split_address, token_address LIMIT $4`,
}
