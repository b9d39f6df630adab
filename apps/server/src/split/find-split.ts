import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../platform/database/database.ts'
import { statement } from '../platform/database/statement.ts'
import type { Recipient, Split } from './split.ts'

/** The version of the merchant's split that is in force, or `undefined` where none is configured. */
export async function findCurrentSplit(db: Database, merchant: Wallet): Promise<Split | undefined> {
  const row = await db.row<SplitRow>(findCurrent({ merchant }))
  return row && fromRow(row)
}

/** The version of the merchant's split that a receipt has pinned. */
export async function findSplitVersion(
  db: Database,
  merchant: Wallet,
  version: bigint,
): Promise<Split | undefined> {
  const row = await db.row<SplitRow>(findVersion({ merchant, version }))
  return row && fromRow(row)
}

/** All versions of the merchant's split, oldest first: scheduled and cancelled ones too. */
export async function listSplitVersions(db: Database, merchant: Wallet): Promise<Split[]> {
  return (await db.rows<SplitRow>(listVersions({ merchant }))).map(fromRow)
}

/** A row of `split`, as the driver gives it. */
export type SplitRow = {
  merchant: string
  version: bigint
  chain: bigint
  address: string
  salt: string
  recipients: Recipient[]
  fee_bps: bigint
  platform_recipient: string | null
  state: string
  effective_at: bigint | null
  in_force_at: bigint | null
  cancelled_at: bigint | null
  deployed_at: bigint | null
  deployed_tx: string | null
  created_at: bigint
  factory: string | null
}

/** The split a row stands for. */
export function fromRow(row: SplitRow): Split {
  const createdAt = Number(row.created_at) as UnixMs
  const state = row.state as Split['state']
  return {
    merchant: row.merchant as Wallet,
    version: row.version,
    chain: Number(row.chain),
    address: row.address as Wallet,
    salt: row.salt as Split['salt'],
    factory: (row.factory ?? undefined) as Wallet | undefined,
    recipients: row.recipients,
    feeBps: Number(row.fee_bps) as Split['feeBps'],
    platformRecipient: (row.platform_recipient ?? undefined) as Wallet | undefined,
    state,
    effectiveAt: readTime(row.effective_at) ?? createdAt,
    inForceAt: readTime(row.in_force_at) ?? (state === 'in-force' ? createdAt : undefined),
    cancelledAt: readTime(row.cancelled_at),
    deployedAt: readTime(row.deployed_at),
    deployedTx: (row.deployed_tx ?? undefined) as Split['deployedTx'],
    createdAt,
  }
}

function readTime(at: bigint | null): UnixMs | undefined {
  return at === null ? undefined : (Number(at) as UnixMs)
}

/** The columns of a `SplitRow`. */
export const splitColumns = `merchant, version, chain, address, salt, recipients, fee_bps, platform_recipient, state,
  effective_at, in_force_at, cancelled_at, deployed_at, deployed_tx, created_at, factory`

const findCurrent = statement({
  name: 'find-current-split',
  text: `SELECT ${splitColumns} FROM split WHERE merchant = :merchant AND state = 'in-force'
    ORDER BY version DESC LIMIT 1`,
})

const findVersion = statement({
  name: 'find-split-version',
  text: `SELECT ${splitColumns} FROM split WHERE merchant = :merchant AND version = :version`,
})

const listVersions = statement({
  name: 'list-split-versions',
  text: `SELECT ${splitColumns} FROM split WHERE merchant = :merchant ORDER BY version`,
})
