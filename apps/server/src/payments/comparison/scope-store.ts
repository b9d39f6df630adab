import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../platform/database/database.ts'

/** A split that is compared, with what is to be known of it. */
export type ComparedSplit = {
  readonly merchant: Wallet
  readonly split: Wallet
  readonly version: bigint
  readonly readFrom: bigint
}

/** A receipt whose deposits are compared. */
export type ComparedReceipt = { readonly merchant: Wallet; readonly receiptId: string }

/** Which of those that nothing happened at are next. */
export type Round = { readonly afterSplit: string; readonly afterDeposit: string }

/** Merchants at whose splits something happened in a range of final blocks. */
export async function listTouchedMerchants(
  db: Database,
  chain: number,
  range: { readonly above: bigint; readonly to: bigint },
): Promise<Wallet[]> {
  const rows = await db.rows<{ merchant: string }>(touched, [chain, range.above, range.to])
  return rows.map((row) => row.merchant as Wallet)
}

/** Splits of these merchants, and those that attempts of `now` pay to, after `after` in the order of addresses. */
export async function listBusySplits(
  db: Database,
  chain: number,
  merchants: readonly Wallet[],
  now: number,
  page: { readonly after: string; readonly limit: number },
): Promise<ComparedSplit[]> {
  const values = [chain, merchants, now, page.after, page.limit]
  return (await db.rows<SplitRow>(busySplits, values)).map(fromSplit)
}

/** Splits after `after` in the order of addresses, busy or not. */
export async function listAnySplits(
  db: Database,
  chain: number,
  page: { readonly after: string; readonly limit: number },
): Promise<ComparedSplit[]> {
  return (await db.rows<SplitRow>(anySplits, [chain, page.after, page.limit])).map(fromSplit)
}

/** Receipts with an attempt that is looked at with every block, after a deposit address, with the last of those. */
export async function listBusyReceipts(
  db: Database,
  chain: number,
  now: number,
  page: { readonly after: string; readonly limit: number },
): Promise<{ receipts: ComparedReceipt[]; last: string | undefined }> {
  return fromDeposits(await db.rows<DepositRow>(busyReceipts, [chain, now, page.after, page.limit]))
}

/** As {@link listBusyReceipts}, of all attempts ever made. */
export async function listAnyReceipts(
  db: Database,
  chain: number,
  page: { readonly after: string; readonly limit: number },
): Promise<{ receipts: ComparedReceipt[]; last: string | undefined }> {
  return fromDeposits(await db.rows<DepositRow>(anyReceipts, [chain, page.after, page.limit]))
}

/** The deposit addresses of receipts, with the block below which nothing can have paid them. */
export async function listDeposits(
  db: Database,
  receipts: readonly ComparedReceipt[],
): Promise<(ComparedReceipt & { deposit: Wallet; openedBlock: bigint })[]> {
  if (receipts.length === 0) return []
  const rows = await db.rows<DepositRow & { opened_block: bigint }>(deposits, [
    receipts.map(({ merchant }) => merchant),
    receipts.map(({ receiptId }) => receiptId),
  ])
  return rows.map((row) => ({
    merchant: row.merchant as Wallet,
    receiptId: row.receipt_id,
    deposit: row.deposit_address as Wallet,
    openedBlock: row.opened_block,
  }))
}

/** Where the round of those that nothing happened at stands; before its first, at the beginning. */
export async function findRound(db: Database, chain: number): Promise<Round> {
  const row = await db.row<{ after_split: string; after_deposit: string }>(find, [chain])
  return { afterSplit: row?.after_split ?? '', afterDeposit: row?.after_deposit ?? '' }
}

/** Moves the round on. */
export async function saveRound(tx: Database, chain: number, round: Round): Promise<void> {
  await tx.run(save, [chain, round.afterSplit, round.afterDeposit])
}

type SplitRow = { merchant: string; address: string; version: bigint; read_from: bigint }
type DepositRow = { merchant: string; receipt_id: string; deposit_address: string }

function fromSplit(row: SplitRow): ComparedSplit {
  return {
    merchant: row.merchant as Wallet,
    split: row.address as Wallet,
    version: row.version,
    readFrom: row.read_from,
  }
}

function fromDeposits(rows: readonly DepositRow[]) {
  const receipts = new Map<string, ComparedReceipt>()
  for (const { merchant, receipt_id: receiptId } of rows)
    receipts.set(`${merchant} ${receiptId}`, { merchant: merchant as Wallet, receiptId })
  return { receipts: [...receipts.values()], last: rows.at(-1)?.deposit_address }
}

const touched = {
  name: 'list-touched-merchants',
  text: `SELECT DISTINCT merchant FROM split_block WHERE chain = $1 AND number > $2 AND number <= $3`,
}

const busySplits = {
  name: 'list-busy-splits',
  text: `SELECT merchant, address, version, read_from FROM split_address
    WHERE chain = $1 AND address > $4 AND (merchant = ANY($2) OR address IN (
      SELECT split_address FROM attempt_target WHERE chain = $1 AND hot_until > $3))
    ORDER BY address LIMIT $5`,
}

const anySplits = {
  name: 'list-any-splits',
  text: `SELECT merchant, address, version, read_from FROM split_address
    WHERE chain = $1 AND address > $2 ORDER BY address LIMIT $3`,
}

const busyReceipts = {
  name: 'list-busy-receipts',
  text: `SELECT merchant, receipt_id, deposit_address FROM attempt_target
    WHERE chain = $1 AND hot_until > $2 AND deposit_address > $3 ORDER BY deposit_address LIMIT $4`,
}

const anyReceipts = {
  name: 'list-any-receipts',
  text: `SELECT merchant, receipt_id, deposit_address FROM attempt_target
    WHERE chain = $1 AND deposit_address > $2 ORDER BY deposit_address LIMIT $3`,
}

const deposits = {
  name: 'list-compared-deposits',
  text: `SELECT a.merchant, a.receipt_id, a.deposit_address, a.opened_block
    FROM unnest($1::text[], $2::text[]) AS asked(merchant, receipt_id)
    JOIN attempt AS a ON a.merchant = asked.merchant AND a.receipt_id = asked.receipt_id`,
}

const find = {
  name: 'find-comparison-round',
  text: `SELECT after_split, after_deposit FROM comparison_round WHERE chain = $1`,
}

const save = {
  name: 'save-comparison-round',
  text: `INSERT INTO comparison_round (chain, after_split, after_deposit) VALUES ($1, $2, $3)
    ON CONFLICT (chain) DO UPDATE SET after_split = excluded.after_split, after_deposit = excluded.after_deposit`,
}
