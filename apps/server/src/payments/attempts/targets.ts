import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import { type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { jobNames } from '../../platform/jobs/names.ts'

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
 * Returns the time that separates hot from cold attempts: the time of the last scanned block.
 *
 * The clocks of the watchers' machines differ. After a long outage, they would also classify attempts that
 * were paid in time as cold.
 */
export function watchTime(cursor: { readonly at: UnixMs }): UnixMs {
  return cursor.at
}

export async function listHotTargets(db: Database, chain: number, now: UnixMs): Promise<Target[]> {
  return db.rows(listHot({ chain, now }))
}

export async function listEndingTargets(
  db: Database,
  chain: number,
  token: Wallet,
  before: UnixMs,
): Promise<Target[]> {
  return db.rows(listEnding({ chain, token, before }))
}

export async function findTargetsByDeposit(
  db: Database,
  chain: number,
  addresses: readonly string[],
): Promise<Target[]> {
  if (addresses.length === 0) return []
  return db.rows(byDeposit({ chain, addresses }))
}

export async function listColdTargets(db: Database, chain: number, now: UnixMs): Promise<Target[]> {
  return db.rows(listCold({ chain, now }))
}

export async function listOldTargets(
  db: Database,
  chain: number,
  now: UnixMs,
  after: string,
  limit: number,
): Promise<Target[]> {
  return db.rows(listOld({ chain, now, after, limit }))
}

export async function findTargetsByReference(
  db: Database,
  chain: number,
  references: readonly Hex[],
): Promise<Target[]> {
  if (references.length === 0) return []
  return db.rows(byReference({ chain, references }))
}

/**
 * Lists receipts that still have an open attempt, although every block up to the attempt's end was scanned.
 * Skips deferred receipts.
 */
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
      AND NOT EXISTS (SELECT FROM deferred_item WHERE job = '${jobNames.scanTransfers}'
        AND deferred_item.merchant = target.merchant AND item = 'receipt ' || target.receipt_id)
    LIMIT :limit`,
})
