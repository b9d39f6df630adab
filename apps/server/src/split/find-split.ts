import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, int8, json, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table } from '../platform/database/table.ts'
import type { Split } from './split.ts'

export async function findCurrentSplit(db: Database, merchant: Wallet): Promise<Split | undefined> {
  return db.row(findCurrent({ merchant }))
}

export async function findSplitVersion(
  db: Database,
  merchant: Wallet,
  version: bigint,
): Promise<Split | undefined> {
  return db.row(findVersion({ merchant, version }))
}

/** Lists all versions, oldest first, including scheduled and canceled ones. */
export async function listSplitVersions(db: Database, merchant: Wallet): Promise<Split[]> {
  return db.rows(listVersions({ merchant }))
}

export const splitTable = table<Split>('split', {
  merchant: text(),
  version: int8(),
  chain: count(),
  address: text(),
  salt: text(),
  factory: text(),
  recipients: json(),
  feeBps: count(),
  platformRecipient: optional(text()),
  state: text(),
  effectiveAt: time(),
  inForceAt: optional(time()),
  cancelledAt: optional(time()),
  deployedAt: optional(time()),
  deployedTx: optional(text()),
  createdAt: time(),
})

const findCurrent = statement({
  name: 'find-current-split',
  text: `SELECT ${columnsOf(splitTable)} FROM split WHERE merchant = :merchant AND state = 'in-force'
    ORDER BY version DESC LIMIT 1`,
  reads: splitTable,
})

const findVersion = statement({
  name: 'find-split-version',
  text: `SELECT ${columnsOf(splitTable)} FROM split WHERE merchant = :merchant AND version = :version`,
  reads: splitTable,
})

const listVersions = statement({
  name: 'list-split-versions',
  text: `SELECT ${columnsOf(splitTable)} FROM split WHERE merchant = :merchant ORDER BY version`,
  reads: splitTable,
})
