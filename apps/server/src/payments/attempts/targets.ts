import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
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
  /** When its buyer last said that something was sent. */
  readonly hintedAt: UnixMs | undefined
}

/** A hint is written down no oftener than this: anyone may give one. */
const hintPauseMs = 15_000

/**
 * The time by which a watcher that has read up to `cursor` tells hot attempts from cold ones: that of the last
 * block read, so that those who paid in time are still looked at when an outage of days is caught up, and that
 * no two watchers take an attempt for both.
 */
export function watchTime(clock: Clock, cursor: { readonly at: UnixMs }): UnixMs {
  return Math.min(clock.now(), cursor.at) as UnixMs
}

/** Attempts to look at with every block: open ones, and those that ended within a day. */
export async function listHotTargets(db: Database, chain: number, now: UnixMs): Promise<Target[]> {
  return (await db.rows<TargetRow>(listHot, [chain, now])).map(fromRow)
}

/** Open attempts in a token that end before a time, those included that are no longer looked at with every block. */
export async function listEndingTargets(
  db: Database,
  chain: number,
  token: Wallet,
  before: UnixMs,
): Promise<Target[]> {
  return (await db.rows<TargetRow>(listEnding, [chain, token, before])).map(fromRow)
}

/** Attempts by their deposit addresses, however long ago they ended; other addresses have none. */
export async function findTargetsByDeposit(
  db: Database,
  chain: number,
  addresses: readonly string[],
): Promise<Target[]> {
  if (addresses.length === 0) return []
  return (await db.rows<TargetRow>(byDeposit, [chain, addresses])).map(fromRow)
}

/** Attempts that ended longer ago and are looked at now and then. */
export async function listColdTargets(db: Database, chain: number, now: UnixMs): Promise<Target[]> {
  return (await db.rows<TargetRow>(listCold, [chain, now])).map(fromRow)
}

/** Attempts that are no longer looked at hourly, in the order of their deposit addresses, after `after`. */
export async function listOldTargets(
  db: Database,
  chain: number,
  now: UnixMs,
  after: string,
  limit: number,
): Promise<Target[]> {
  return (await db.rows<TargetRow>(listOld, [chain, now, after, limit])).map(fromRow)
}

/** Attempts by the references that calls named; references nobody gave out have none. */
export async function findTargetsByReference(
  db: Database,
  chain: number,
  references: readonly Hex[],
): Promise<Target[]> {
  if (references.length === 0) return []
  return (await db.rows<TargetRow>(byReference, [chain, references])).map(fromRow)
}

/** Receipts with an attempt that is still open although every block up to its end was read; not those set aside. */
export async function listExpiredReceipts(
  db: Database,
  chain: number,
  coveredTo: UnixMs,
  limit: number,
): Promise<{ merchant: Wallet; receiptId: ReceiptId }[]> {
  const rows = await db.rows<{ merchant: string; receipt_id: string }>(listExpired, [chain, coveredTo, limit])
  return rows.map((row) => ({ merchant: row.merchant as Wallet, receiptId: row.receipt_id as ReceiptId }))
}

/** Notes that the buyer of a receipt says something was sent to one of its open attempts. */
export async function noteHint(
  db: Database,
  chain: number,
  receipt: { readonly merchant: Wallet; readonly id: ReceiptId },
  now: UnixMs,
): Promise<void> {
  await db.run(saveHint, [chain, receipt.merchant, receipt.id, now, now - hintPauseMs])
}

type TargetRow = {
  merchant: string
  attempt_id: string
  receipt_id: string
  reference: string
  deposit_address: string
  split_address: string
  token_address: string
  expires_at: bigint
  hinted_at: bigint | null
}

function fromRow(row: TargetRow): Target {
  return {
    merchant: row.merchant as Wallet,
    attemptId: row.attempt_id,
    receiptId: row.receipt_id as ReceiptId,
    reference: row.reference as Hex,
    depositAddress: row.deposit_address as Wallet,
    splitAddress: row.split_address as Wallet,
    tokenAddress: row.token_address as Wallet,
    expiresAt: Number(row.expires_at) as UnixMs,
    hintedAt: row.hinted_at === null ? undefined : (Number(row.hinted_at) as UnixMs),
  }
}

const columns = `merchant, attempt_id, receipt_id, reference, deposit_address, split_address, token_address, expires_at,
  hinted_at`

const listHot = {
  name: 'list-hot-targets',
  text: `SELECT ${columns} FROM attempt_target WHERE chain = $1 AND hot_until > $2`,
}

const listEnding = {
  name: 'list-ending-targets',
  text: `SELECT ${columns} FROM attempt_target
    WHERE chain = $1 AND is_open AND expires_at < $3 AND token_address = $2`,
}

const byDeposit = {
  name: 'find-targets-by-deposit',
  text: `SELECT ${columns} FROM attempt_target WHERE chain = $1 AND deposit_address = ANY($2)`,
}

const listCold = {
  name: 'list-cold-targets',
  text: `SELECT ${columns} FROM attempt_target WHERE chain = $1 AND hot_until <= $2 AND watch_until > $2`,
}

const listOld = {
  name: 'list-old-targets',
  text: `SELECT ${columns} FROM attempt_target
    WHERE chain = $1 AND watch_until <= $2 AND deposit_address > $3 ORDER BY deposit_address LIMIT $4`,
}

const byReference = {
  name: 'find-targets-by-reference',
  text: `SELECT ${columns} FROM attempt_target WHERE chain = $1 AND reference = ANY($2)`,
}

const listExpired = {
  name: 'list-expired-receipts',
  text: `SELECT DISTINCT merchant, receipt_id FROM attempt_target AS target
    WHERE chain = $1 AND is_open AND expires_at < $2
      AND NOT EXISTS (SELECT FROM set_aside WHERE job = '${jobNames.scanTransfers}'
        AND set_aside.merchant = target.merchant AND item = 'receipt ' || target.receipt_id)
    LIMIT $3`,
}

const saveHint = {
  name: 'save-target-hint',
  text: `UPDATE attempt_target AS target SET hinted_at = $4 FROM attempt
    WHERE attempt.merchant = $2 AND attempt.receipt_id = $3
      AND target.chain = $1 AND target.deposit_address = attempt.deposit_address AND target.merchant = $2
      AND target.is_open AND (target.hinted_at IS NULL OR target.hinted_at < $5)`,
}
