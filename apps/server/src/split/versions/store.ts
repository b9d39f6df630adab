import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { int8, optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { columnsOf } from '../../platform/database/table.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { findSplitVersion, splitTable } from '../find-split.ts'
import type { Split, SplitDraft } from '../split.ts'

/** Locks the merchant's splits until the transaction ends; returns `false` if none exist. */
export async function lockSplit(tx: Database, merchant: Wallet): Promise<boolean> {
  return (await tx.rows(lock({ merchant }))).length > 0
}

export async function findPendingSplit(db: Database, merchant: Wallet): Promise<Split | undefined> {
  const row = await db.row(findChange({ merchant }))
  return row && findSplitVersion(db, merchant, row.version)
}

export async function findLastVersion(tx: Database, merchant: Wallet): Promise<bigint> {
  return (await tx.row(last({ merchant })))?.version ?? 0n
}

export async function insertChange(tx: Database, split: SplitDraft): Promise<void> {
  const { merchant, version, chain, address, effectiveAt } = split
  await tx.run(insert({ merchant, version, chain, address, effectiveAt }))
}

export type ReadyChange = {
  readonly merchant: Wallet
  readonly version: bigint
  readonly effectiveAt: UnixMs
}

/** Lists due changes whose contract is deployed, in time order. Excludes deferred changes. */
export async function listReadyChanges(
  db: Database,
  chain: number,
  now: UnixMs,
  page: { readonly after: ReadyChange | undefined; readonly limit: number },
): Promise<ReadyChange[]> {
  const { after, limit } = page
  return db.rows(listReady({ chain, now, limit, at: after?.effectiveAt ?? 0, after: after?.merchant ?? '' }))
}

/** Returns `false` if the version is no longer scheduled. */
export async function putInForce(
  tx: Database,
  merchant: Wallet,
  version: bigint,
  now: UnixMs,
): Promise<boolean> {
  if ((await tx.run(removeChange({ merchant, version }))) === 0) return false
  return (await tx.run(takeOver({ merchant, version, now }))) > 0
}

/** Returns `false` if the version is no longer scheduled. */
export async function cancelVersion(
  tx: Database,
  merchant: Wallet,
  version: bigint,
  now: UnixMs,
): Promise<boolean> {
  if ((await tx.run(removeChange({ merchant, version }))) === 0) return false
  return (await tx.run(cancel({ merchant, version, now }))) > 0
}

export async function listVersionsBefore(
  db: Database,
  merchant: Wallet,
  before: bigint,
  limit: number,
): Promise<Split[]> {
  return db.rows(listBefore({ merchant, before, limit }))
}

const lock = statement({
  name: 'lock-first-split',
  text: 'SELECT 1 FROM split WHERE merchant = :merchant AND version = 1 FOR UPDATE',
})

const findChange = statement({
  name: 'find-split-change',
  reads: { version: int8() },
  text: 'SELECT version FROM split_change WHERE merchant = :merchant',
})

const last = statement({
  name: 'find-last-split-version',
  reads: { version: optional(int8()) },
  text: 'SELECT max(version) AS version FROM split WHERE merchant = :merchant',
})

const insert = statement({
  name: 'insert-split-change',
  text: `INSERT INTO split_change (merchant, version, chain, address, effective_at) VALUES (:merchant, :version,
    :chain, :address, :effectiveAt)`,
})

const listReady = statement({
  name: 'list-ready-split-changes',
  reads: { merchant: text<Wallet>(), version: int8(), effectiveAt: time() },
  text: `SELECT change.merchant, change.version, change.effective_at FROM split_change AS change
    JOIN split_address AS split ON split.chain = change.chain AND split.address = change.address
    WHERE change.chain = :chain AND change.effective_at <= :now AND split.is_deployed
      AND (change.effective_at, change.merchant) > (:at, :after)
      AND NOT EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.applySplitChanges}'
        AND deferred_item.merchant = change.merchant AND item = 'version ' || change.version AND next_try > :now)
    ORDER BY change.effective_at, change.merchant LIMIT :limit`,
})

const removeChange = statement({
  name: 'remove-split-change',
  text: 'DELETE FROM split_change WHERE merchant = :merchant AND version = :version',
})

const takeOver = statement({
  name: 'put-split-in-force',
  text: `UPDATE split SET state = 'in-force', in_force_at = :now
    WHERE merchant = :merchant AND version = :version AND state = 'scheduled'`,
})

const cancel = statement({
  name: 'cancel-split-version',
  text: `UPDATE split SET state = 'cancelled', cancelled_at = :now
    WHERE merchant = :merchant AND version = :version AND state = 'scheduled'`,
})

const listBefore = statement({
  name: 'list-split-versions-before',
  text: `SELECT ${columnsOf(splitTable)} FROM split WHERE merchant = :merchant AND version < :before
    ORDER BY version DESC LIMIT :limit`,
  reads: splitTable,
})
