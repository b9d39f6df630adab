import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { count, int8, json, optional, text, time } from '../platform/database/columns.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import { columnsOf, table } from '../platform/database/table.ts'
import type { Split } from './split.ts'

/** The version of the merchant's split that is in force, or `undefined` where none is configured. */
export async function findCurrentSplit(db: Database, merchant: Wallet): Promise<Split | undefined> {
  const row = await db.row(findCurrent({ merchant }))
  return row && fromStored(row)
}

/** The version of the merchant's split that a receipt has pinned. */
export async function findSplitVersion(
  db: Database,
  merchant: Wallet,
  version: bigint,
): Promise<Split | undefined> {
  const row = await db.row(findVersion({ merchant, version }))
  return row && fromStored(row)
}

/** All versions of the merchant's split, oldest first: scheduled and cancelled ones too. */
export async function listSplitVersions(db: Database, merchant: Wallet): Promise<Split[]> {
  return (await db.rows(listVersions({ merchant }))).map(fromStored)
}

/** A version as it is stored: one of an earlier release may lack since when it is in force. */
type StoredSplit = Omit<Split, 'effectiveAt'> & { readonly effectiveAt: UnixMs | undefined }

/** How a version is stored. */
export const splitTable = table<StoredSplit>('split', {
  merchant: text(),
  version: int8(),
  chain: count(),
  address: text(),
  salt: text(),
  factory: optional(text()),
  recipients: json(),
  feeBps: count(),
  platformRecipient: optional(text()),
  state: text(),
  effectiveAt: optional(time()),
  inForceAt: optional(time()),
  cancelledAt: optional(time()),
  deployedAt: optional(time()),
  deployedTx: optional(text()),
  createdAt: time(),
})

/** The version that is stored so. */
export function fromStored(stored: StoredSplit): Split {
  const { createdAt, effectiveAt = createdAt, state } = stored
  const inForceAt = stored.inForceAt ?? (state === 'in-force' ? createdAt : undefined)
  return { ...stored, effectiveAt, inForceAt }
}

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
