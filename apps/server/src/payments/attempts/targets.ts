import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'

/** What the watcher has to know of an attempt to recognise money for it. */
export type Target = {
  readonly merchant: Wallet
  readonly attemptId: string
  readonly receiptId: ReceiptId
  readonly reference: Hex
  readonly depositAddress: Wallet
  readonly splitAddress: Wallet
  readonly tokenAddress: Wallet
  readonly expiresAt: UnixMs
}

/**
 * The time by which a watcher that has read up to `cursor` tells hot attempts from cold ones: that of the last
 * block read, so that those who paid in time are still looked at when an outage of days is caught up, and that
 * no two watchers take an attempt for both, nor none of them. No clock of a machine: those of two may differ.
 */
export function watchTime(cursor: { readonly at: UnixMs }): UnixMs {
  return cursor.at
}

/** Attempts to look at with every block: open ones, and those that ended within a day. */
export async function listHotTargets(db: Database, chain: number, now: UnixMs): Promise<Target[]> {
  return db.rows(listHot({ chain, now }))
}

/** Open attempts in a token that end before a time, those included that are no longer looked at with every block. */
export async function listEndingTargets(
  db: Database,
  chain: number,
  token: Wallet,
  before: UnixMs,
): Promise<Target[]> {
  return db.rows(listEnding({ chain, token, before }))
}

/** Attempts by their deposit addresses, however long ago they ended; other addresses have none. */
export async function findTargetsByDeposit(
  db: Database,
  chain: number,
  addresses: readonly string[],
): Promise<Target[]> {
  if (addresses.length === 0) return []
  return db.rows(byDeposit({ chain, addresses }))
}

/** Attempts that ended longer ago and are looked at now and then. */
export async function listColdTargets(db: Database, chain: number, now: UnixMs): Promise<Target[]> {
  return db.rows(listCold({ chain, now }))
}

/** Attempts that are no longer looked at hourly, in the order of their deposit addresses, after `after`. */
export async function listOldTargets(
  db: Database,
  chain: number,
  now: UnixMs,
  after: string,
  limit: number,
): Promise<Target[]> {
  return db.rows(listOld({ chain, now, after, limit }))
}

/** Attempts by the references that calls named; references nobody gave out have none. */
export async function findTargetsByReference(
  db: Database,
  chain: number,
  references: readonly Hex[],
): Promise<Target[]> {
  if (references.length === 0) return []
  return db.rows(byReference({ chain, references }))
}

/** Receipts with an attempt that is still open although every block up to its end was read; not those set aside. */
export async function listExpiredReceipts(
  db: Database,
  chain: number,
  coveredTo: UnixMs,
  limit: number,
): Promise<{ merchant: Wallet; receiptId: ReceiptId }[]> {
  return db.rows(listExpired({ chain, coveredTo, limit }))
}

const storedTarget: Parts<Target> = {
  merchant: text(),
  attemptId: text(),
  receiptId: text(),
  reference: text(),
  depositAddress: text(),
  splitAddress: text(),
  tokenAddress: text(),
  expiresAt: time(),
}

const columns = `merchant, attempt_id, receipt_id, reference, deposit_address, split_address, token_address, expires_at`

const listHot = statement({
  name: 'list-hot-targets',
  reads: storedTarget,
  text: `SELECT ${columns} FROM attempt_target WHERE chain = :chain AND hot_until > :now`,
})

const listEnding = statement({
  name: 'list-ending-targets',
  reads: storedTarget,
  text: `SELECT ${columns} FROM attempt_target
    WHERE chain = :chain AND is_open AND expires_at < :before AND token_address = :token`,
})

const byDeposit = statement({
  name: 'find-targets-by-deposit',
  reads: storedTarget,
  text: `SELECT ${columns} FROM attempt_target WHERE chain = :chain AND deposit_address = ANY(:addresses)`,
})

const listCold = statement({
  name: 'list-cold-targets',
  reads: storedTarget,
  text: `SELECT ${columns} FROM attempt_target WHERE chain = :chain AND hot_until <= :now AND watch_until > :now`,
})

const listOld = statement({
  name: 'list-old-targets',
  reads: storedTarget,
  text: `SELECT ${columns} FROM attempt_target
    WHERE chain = :chain AND watch_until <= :now AND deposit_address > :after ORDER BY deposit_address LIMIT :limit`,
})

const byReference = statement({
  name: 'find-targets-by-reference',
  reads: storedTarget,
  text: `SELECT ${columns} FROM attempt_target WHERE chain = :chain AND reference = ANY(:references)`,
})

const listExpired = statement({
  name: 'list-expired-receipts',
  reads: { merchant: text<Wallet>(), receiptId: text<ReceiptId>() },
  text: `SELECT DISTINCT merchant, receipt_id FROM attempt_target AS target
    WHERE chain = :chain AND is_open AND expires_at < :coveredTo
      AND NOT EXISTS (SELECT FROM set_aside WHERE job = '${jobNames.scanTransfers}'
        AND set_aside.merchant = target.merchant AND item = 'receipt ' || target.receipt_id)
    LIMIT :limit`,
})
